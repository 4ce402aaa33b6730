// How rows change and move.
// SPDX-License-Identifier: Apache-2.0

import Metadata

extension IndexStorage {
    // MARK: Changing

    mutating func update(_ row: UInt32, _ status: FileStatus) throws(IndexError) -> Bool {
        guard rows.isLive(row) else { throw .noSuchRow(Row(row)) }
        if row == 0, !status.kind.isDirectory { throw .isRoot }
        var values = RowValues(status, common: attributes.number(of: CommonAttributes(status), in: &rows))
        if row == 0 { values.kind = .directory }
        let package = row == 0 ? nil : package(holding: rows.parent(row))
        packages.enclose(row, &values, in: package, isNew: false)
        let old = packages.ownValues(row, rows)
        guard values != old else { return false }
        if old.kind.isDirectory, !values.kind.isDirectory { removeChildren(row) }
        record(row)
        let access = rows.access(row)
        apply(values, to: row)
        packages.noteChange(row, from: old, access, to: values, in: package, &rows, &versions)
        if (old.kind == .file) != (values.kind == .file) {
            let wasVersion = versions.contains(row)
            versions.noteKind(row, rows, names)
            noteRenamed(row, wasVersion: wasVersion)
        }
        return true
    }

    /// Gives a live row other values, and keeps the tables that follow from them. A row that ceases to be a directory has
    /// no children.
    mutating func apply(_ values: RowValues, to row: UInt32) {
        let old = rows.values(row)
        let isSameFile =
            old.inode == values.inode
            && rows.common[Int(old.common)].device == rows.common[Int(values.common)].device
        let refile = !isSameFile || old.isFoundByInode != values.isFoundByInode
        if refile, old.isFoundByInode { inodes.remove(row, rows) }
        let block = rows.writable(row)
        let slot = RowStore.slot(row)
        block.setValues(slot, values)
        if old.kind.isDirectory != values.kind.isDirectory {
            if values.kind.isDirectory {
                block.addDirectory(slot)
            } else {
                block.removeDirectory(slot)
            }
            counts.change(toDirectory: values.kind.isDirectory)
        }
        if refile, values.isFoundByInode { inodes.insert(row, rows) }
    }

    mutating func setXattrs(_ row: UInt32, _ xattrs: ExtraAttributes?) throws(IndexError) -> Bool {
        guard rows.isLive(row), row != 0 else { throw row == 0 ? .isRoot : .noSuchRow(Row(row)) }
        let known = rows.xattrs(row)
        guard known != xattrs else { return false }
        // Nothing becomes of an item by being read: a million that have none would fill the log, and every clock be lost.
        let isNews = known.orNone != xattrs.orNone
        if isNews { record(row) }
        let number = self.xattrs.retain(xattrs, in: &rows.xattrList)
        setXattrNumber(row, number)
        return isNews
    }

    /// Whether extended attributes are kept already, or may be besides those that are.
    func hasRoom(for xattrs: ExtraAttributes, below limit: Int) -> Bool {
        rows.xattrList.recordBytes + XattrList.cost(xattrs) <= limit
            || self.xattrs.contains(xattrs, in: rows.xattrList)
    }

    /// Puts a number that is counted already in place of the row's.
    mutating func setXattrNumber(_ row: UInt32, _ number: UInt32) {
        let block = rows.writable(row)
        let slot = RowStore.slot(row)
        xattrs.release(block.xattrs(slot), in: &rows.xattrList)
        block.setXattrs(slot, number)
    }

    // MARK: Moving

    /// Checks that a row can be moved, replaced or removed.
    func checkItem(_ row: UInt32) throws(IndexError) {
        guard row != 0 else { throw .isRoot }
        guard rows.isLive(row) else { throw .noSuchRow(Row(row)) }
    }

    mutating func move(_ row: UInt32, _ parent: UInt32, _ name: UnsafeRawBufferPointer) throws(IndexError) {
        try checkItem(row)
        try checkDirectory(parent)
        guard isValidName(name) else { throw .invalidName }
        let hash = names.hasher.hash(parent: parent, name: name)
        if let other = find(parent, name, hash) {
            if other == row { return }
            throw .nameTaken(Row(other))
        }
        if rows.isWithin(parent, row) { throw .wouldContainItself(Row(row)) }
        record(row)
        let from = rows.parent(row)
        let package = from == parent ? nil : package(holding: parent)
        let moved =
            from == parent
            ? nil
            : packages.leave(
                row, from: self.package(holding: from), to: package, rows, versions, limits)
        let wasVersion = versions.contains(row)
        unfile(row)
        if from != parent { unlink(row) }
        let block = rows.writable(row)
        block.setName(RowStore.slot(row), name, replacing: true)
        rows.noteArchive(name)
        block.parent[RowStore.slot(row)] = parent
        file(row, hash)
        if from != parent {
            link(row, below: parent)
            packages.enter(package, moved)
        }
        noteRenamed(row, wasVersion: wasVersion)
    }

    mutating func replace(_ target: UInt32, _ source: UInt32) throws(IndexError) {
        try checkItem(target)
        try checkItem(source)
        if target == source { return }
        if rows.isWithin(target, source) { throw .wouldContainItself(Row(source)) }
        record(target)
        record(source)
        let package = package(holding: rows.parent(target))
        let moved = packages.leave(
            source, from: self.package(holding: rows.parent(source)), to: package, rows, versions, limits)
        let wasVersion = versions.contains(source)
        // Unlink the source first: it may lie below the target, whose children are removed.
        unlink(source)
        unfile(source)
        rows.writable(source).parent[RowStore.slot(source)] = 0
        removeChildren(target)
        packages.noteDeparture(ofRow: target, from: package, rows, versions)
        packages.forget(target, &rows, &versions)
        let values = packages.ownValues(source, rows)
        let state = packages.states[source]
        packages.takeEnclosure(target, from: source)
        let children = rows.firstChild(source)
        if values.kind.isDirectory { rows.writable(source).setFirstChild(RowStore.slot(source), Row.none) }
        let xattrNumber = rows.block(source).xattrs(RowStore.slot(source))
        if xattrNumber > XattrTable.empty {
            setXattrNumber(target, xattrs.retain(rows.xattrList[xattrNumber], in: &rows.xattrList))
        } else {
            setXattrNumber(target, xattrNumber)
        }
        vacate(source)
        apply(values, to: target)
        versions.noteKind(target, rows, names)
        packages.noteReplacement(target, by: state, isDirectory: values.kind.isDirectory)
        packages.enter(package, moved)
        noteRenamed(target, wasVersion: wasVersion)
        var child = children
        while child != Row.none {
            record(child)
            unfile(child)
            rows.writable(child).parent[RowStore.slot(child)] = target
            file(child)
            child = rows.next(child)
        }
        if children != Row.none {
            rows.writable(target).setFirstChild(RowStore.slot(target), children)
        }
    }

    mutating func exchange(_ a: UInt32, _ b: UInt32) throws(IndexError) {
        try checkItem(a)
        try checkItem(b)
        if a == b { return }
        if rows.isWithin(a, b) { throw .wouldContainItself(Row(b)) }
        if rows.isWithin(b, a) { throw .wouldContainItself(Row(a)) }
        record(a)
        record(b)
        let packageOfA = package(holding: rows.parent(a))
        let packageOfB = package(holding: rows.parent(b))
        let ofA = packages.leave(a, from: packageOfA, to: packageOfB, rows, versions, limits)
        let ofB = packages.leave(b, from: packageOfB, to: packageOfA, rows, versions, limits)
        let wasVersion = (a: versions.contains(a), b: versions.contains(b))
        unfile(a)
        unfile(b)
        unlink(a)
        unlink(b)
        let parentOfA = rows.parent(a)
        let parentOfB = rows.parent(b)
        // Copy one name out; copying the other from its arena may free it.
        let nameOfA = rows.block(a).nameBytes(RowStore.slot(a))
        withUnsafeTemporaryAllocation(byteCount: nameOfA.count, alignment: 1) { copy in
            copy.copyMemory(from: nameOfA)
            let kept = UnsafeRawBufferPointer(rebasing: copy[0..<nameOfA.count])
            let nameOfB = rows.block(b).nameBytes(RowStore.slot(b))
            rows.writable(a).setName(RowStore.slot(a), nameOfB, replacing: true)
            rows.writable(b).setName(RowStore.slot(b), kept, replacing: true)
        }
        rows.writable(a).parent[RowStore.slot(a)] = parentOfB
        rows.writable(b).parent[RowStore.slot(b)] = parentOfA
        file(a)
        file(b)
        link(a, below: parentOfB)
        link(b, below: parentOfA)
        packages.enter(packageOfB, ofA)
        packages.enter(packageOfA, ofB)
        noteRenamed(a, wasVersion: wasVersion.a)
        noteRenamed(b, wasVersion: wasVersion.b)
    }

    /// Notes that a row got another name or file. `wasVersion` tells whether it was a conflict version before.
    private mutating func noteRenamed(_ row: UInt32, wasVersion: Bool) {
        let isVersion = versions.contains(row)
        guard isVersion != wasVersion, let package = package(holding: rows.parent(row)) else { return }
        packages.noteVersion(in: package, isVersion: isVersion)
    }
}
