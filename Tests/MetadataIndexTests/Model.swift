// The index as a child would write it: a dictionary of paths.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import TestSupport

@testable import MetadataIndex

/// A path as bytes, without a slash in front; empty for the root.
typealias Path = [UInt8]

extension Path {
    func isBelow(_ other: Path) -> Bool {
        other.isEmpty ? !isEmpty : count > other.count && starts(with: other) && self[other.count] == UInt8(ascii: "/")
    }

    var directory: Path { lastIndex(of: UInt8(ascii: "/")).map { Array(self[..<$0]) } ?? [] }
    var lastName: Path { lastIndex(of: UInt8(ascii: "/")).map { Array(self[($0 + 1)...]) } ?? self }
    func appending(_ name: Path) -> Path { isEmpty ? name : self + [UInt8(ascii: "/")] + name }
}

/// The entries of a tree by path; each change is made the plainest way.
struct Model {
    struct Entry: Equatable {
        var id: ItemIdentifier
        var status: FileStatus
        var xattrs: ExtraAttributes?
    }

    /// The values that a row itself holds, as opposed to those that follow from the rows above.
    struct Own: Equatable {
        var id: ItemIdentifier
        var parent: Row
        var name: Path
        var status: FileStatus
        /// Those that are not known are none.
        var xattrs: ExtraAttributes
        var package: PackageFacts?
        var conflicts = ConflictCount()
    }

    var entries: [Path: Entry] = [:]

    func kind(_ path: Path) -> FileKind? { path.isEmpty ? .directory : entries[path]?.status.kind }

    func row(_ path: Path) -> Row? { path.isEmpty ? .root : entries[path]?.id.row }

    func isInsidePackage(_ path: Path) -> Bool {
        var above = path.directory
        while !above.isEmpty {
            if entries[above]?.status.kind == .package { return true }
            above = above.directory
        }
        return false
    }

    /// The status of the entry itself: inside a package there are plain directories only.
    func ownStatus(_ path: Path) -> FileStatus? {
        guard var status = entries[path]?.status else { return nil }
        if status.kind == .package, isInsidePackage(path) { status.kind = .directory }
        return status
    }

    /// The status that a path is presented with: of a package the sum of the files in it, and the newest times.
    func presented(_ path: Path) -> FileStatus? {
        guard var status = ownStatus(path), status.kind == .package else { return ownStatus(path) }
        status.size = 0
        for (other, inner) in entries where other.isBelow(path) {
            if inner.status.kind == .file { status.size += inner.status.size }
            status.modified = max(status.modified, inner.status.modified)
            status.changed = max(status.changed, inner.status.changed)
        }
        return status
    }

    /// The facts of a package besides that.
    func package(_ path: Path) -> PackageFacts? {
        guard let own = ownStatus(path), own.kind == .package else { return nil }
        let directories = entries.filter {
            ($0.key == path || $0.key.isBelow(path)) && $0.value.status.kind.isDirectory
        }
        let accesses = Set(directories.values.map(\.status.access))
        return PackageFacts(
            size: own.size, modified: own.modified.nanoseconds, changed: own.changed.nanoseconds,
            accesses: accesses.count > 16 ? nil : AccessSet(accesses))
    }

    /// Versions in conflict beside a path, and of a package those inside.
    func conflicts(_ path: Path) -> ConflictCount {
        var count = ConflictCount()
        let isPackage = ownStatus(path)?.kind == .package
        guard isPackage || VersionNames.originals.contains(path.lastName) else { return count }
        for (other, entry) in entries {
            guard let original = VersionNames.originalOf[other.lastName], entry.status.kind == .file else { continue }
            if other.directory == path.directory, original == path.lastName { count.beside += 1 }
            if isPackage, other.isBelow(path) { count.inside += 1 }
        }
        return count
    }

    func isTaken(_ path: Path) -> Bool { path.isEmpty || entries[path] != nil }

    mutating func removeBelow(_ path: Path) {
        entries = entries.filter { !$0.key.isBelow(path) }
    }

    mutating func remove(_ path: Path) {
        removeBelow(path)
        entries[path] = nil
    }

    mutating func update(_ path: Path, _ status: FileStatus) {
        if kind(path)?.isDirectory == true, !status.kind.isDirectory { removeBelow(path) }
        entries[path]?.status = status
    }

    /// Takes a subtree out: its entries by what follows the path, the top one under the empty path.
    private mutating func take(_ path: Path) -> [Path: Entry] {
        var taken: [Path: Entry] = [:]
        for (other, entry) in entries where other == path || other.isBelow(path) {
            taken[Array(other[path.count...])] = entry
            entries[other] = nil
        }
        return taken
    }

    private mutating func put(_ subtree: [Path: Entry], at path: Path) {
        for (rest, entry) in subtree { entries[path + rest] = entry }
    }

    mutating func move(_ path: Path, to other: Path) { put(take(path), at: other) }

    mutating func replace(_ target: Path, with source: Path) {
        guard target != source, let kept = entries[target] else { return }
        var subtree = take(source)
        remove(target)
        subtree[[]]?.id = kept.id
        put(subtree, at: target)
    }

    mutating func exchange(_ a: Path, _ b: Path) {
        guard a != b else { return }
        let one = take(a)
        let other = take(b)
        put(one, at: b)
        put(other, at: a)
    }

    /// The values that each row holds.
    var own: [Row: Own] {
        var own: [Row: Own] = [:]
        for (path, entry) in entries {
            guard let parent = row(path.directory), let status = presented(path) else { continue }
            own[entry.id.row] = Own(
                id: entry.id, parent: parent, name: path.lastName, status: status, xattrs: entry.xattrs.orNone,
                package: package(path), conflicts: conflicts(path))
        }
        return own
    }

    /// A difference in an index, a snapshot or a view of the past; nil if there is none. Loosely, extended attributes that are not known
    /// are as good as none: the past and what was restored need not tell them apart.
    func difference(from reader: some RowReader, rows: some Sequence<Row>, isLoose: Bool = false) -> String? {
        var seen = 0
        for row in rows {
            guard let id = reader.identifier(of: row) else { continue }
            var path: Path = []
            reader.appendPath(of: row, to: &path)
            let shown = String(decoding: path, as: UTF8.self)
            guard let entry = entries[path] else { return "\(row) at \(shown) is not in the model" }
            let found = Entry(id: id, status: reader.status(of: row), xattrs: reader.xattrs(of: row))
            var expected = entry
            expected.status = presented(path) ?? entry.status
            if isLoose, found.xattrs.orNone == entry.xattrs.orNone { expected.xattrs = found.xattrs }
            if found != expected { return "\(shown): \(found), not \(expected)" }
            if reader.ownStatus(of: row) != ownStatus(path) {
                return "\(shown): \(reader.ownStatus(of: row)) of its own"
            }
            if reader.package(at: row) != package(path) {
                return "\(shown): \(String(describing: reader.package(at: row)))"
            }
            if reader.conflicts(of: row) != conflicts(path) {
                return "\(shown): \(reader.conflicts(of: row)), not \(conflicts(path))"
            }
            if reader.kind(of: row) != expected.status.kind { return "\(shown): kind" }
            if reader.parent(of: row) != self.row(path.directory) { return "\(shown): parent" }
            if reader.isInsidePackage(row) != isInsidePackage(path) { return "\(shown): inside a package" }
            if reader.withName(of: row, { Array($0) }) != path.lastName { return "\(shown): name" }
            let depth = path.count { $0 == UInt8(ascii: "/") } + 1
            if reader.depth(of: row) != depth { return "\(shown): depth" }
            seen += 1
        }
        return seen == entries.count ? nil : "\(seen) rows, \(entries.count) in the model"
    }
}

/// An index and its model, changed together at random.
struct Pair {
    let index: MetadataIndex
    var model = Model()
    var generator: SeededGenerator
    /// Above so many entries, more go than come.
    var largest = 120
    /// Every identifier that was ever given.
    var given: Set<ItemIdentifier> = []
    /// Paths in an order that does not depend on a dictionary's, so that a seed tells the run.
    var order: [Path] = []

    /// Whether the index was saved and read again.
    private var isRestored = false
    private var isTidiedSoon = false

    /// Keeps access lists on their way into the index.
    private var lease = AccessLists.lease()
    /// Where lists come and go: how many there were, and all of them.
    private var listSerial: UInt32?
    private(set) var lists: [AccessListID: [UInt8]] = [:]
    private let seed: UInt64

    /// With even seeds, whatever is removed with something below goes in sweeps.
    init(seed: UInt64, log: ChangeLog = ChangeLog(), listsComeAndGo: Bool = false) {
        self.seed = seed
        listSerial = listsComeAndGo ? 0 : nil
        generator = SeededGenerator(seed: seed)
        index = MetadataIndex(root: .sample(.directory, inode: 1_000), epoch: 1, key: seed, log: log)
        if seed % 2 == 0 { index.storage.limits.smallestSweep = 1 }
        if seed % 3 == 0 { index.storage.limits.mostFoundAtOnce = 1 }
        if seed % 5 < 3 { tidySoon() }
    }

    /// Has numbers of combinations taken back as soon as no row has them.
    mutating func tidySoon() {
        isTidiedSoon = true
        index.storage.attributes.setLeast(1)
    }

    /// Another index, which should be the same, with the model of this one.
    init(_ other: Pair, index: MetadataIndex) {
        self.index = index
        isRestored = true
        index.storage.limits = other.index.storage.limits
        (model, generator, largest) = (other.model, other.generator, other.largest)
        (given, order) = (other.given, other.order)
        (seed, listSerial, lists) = (other.seed, other.listSerial, other.lists)
        if other.isTidiedSoon { tidySoon() }
        // A saved index does not tell which directories would be packages outside of the one that they lie in.
        for entry in model.entries.values where entry.status.kind == .package && index.isLive(entry.id) {
            _ = try? index.update(entry.id.row, entry.status)
        }
    }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }

    mutating func anyPath() -> Path? {
        while !order.isEmpty {
            let at = Int.random(in: 0..<order.count, using: &generator)
            if model.entries[order[at]] != nil { return order[at] }
            order.swapAt(at, order.count - 1)
            order.removeLast()
        }
        return nil
    }

    /// Makes ``order`` hold the paths of a subtree that was put there.
    mutating func reorder(_ path: Path) {
        order += model.entries.keys.filter { $0 == path || $0.isBelow(path) }.sorted {
            $0.lexicographicallyPrecedes($1)
        }
    }

    mutating func anyDirectory() -> Path {
        for _ in 0..<8 {
            guard !chance(10), let path = anyPath() else { return [] }
            if model.kind(path)?.isDirectory == true { return path }
            if chance(50) { return path.directory }
        }
        return []
    }

    mutating func anyName() -> Path {
        if chance(15) { return VersionNames.all.randomElement(using: &generator)! }
        if chance(2) {
            return Path(
                repeating: UInt8.random(in: 97...99, using: &generator),
                count: [200, 254, 255, 256, 700, 4_000].randomElement(using: &generator)!)
        }
        let length = Int.random(in: 1...(chance(80) ? 2 : 24), using: &generator)
        return (0..<length).map { _ in
            chance(95) ? UInt8.random(in: 97...102, using: &generator) : UInt8.random(in: 128...255, using: &generator)
        }
    }

    mutating func anyXattrs() -> ExtraAttributes? {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: nil
        case 1: ExtraAttributes.none
        case 2 where chance(30): ExtraAttributes(target: Array("../\(Int.random(in: 0...3, using: &generator))".utf8))
        default:
            ExtraAttributes(
                (0..<Int.random(in: 1...2, using: &generator)).map { _ in
                    let name = ["xdg.tags", "xdg.comment", "a"].randomElement(using: &generator)!
                    let value = ["red", "green", "", String(repeating: "long", count: 40)].randomElement(
                        using: &generator)!
                    return (Array(name.utf8), Array(value.utf8))
                })
        }
    }

    mutating func anyStatus() -> FileStatus {
        let kind: FileKind =
            chance(45) ? .directory : chance(10) ? .package : FileKind.allCases.randomElement(using: &generator)!
        return FileStatus(
            kind: kind, mode: chance(30) ? .random(in: 0...0o7777, using: &generator) : 0o644,
            size: .random(in: 0...3, using: &generator),
            created: chance(50) ? nil : Timestamp(nanoseconds: .random(in: -2...2, using: &generator)),
            modified: Timestamp(nanoseconds: .random(in: 0...3, using: &generator)), changed: Timestamp(nanoseconds: 5),
            owner: .random(in: 0...2, using: &generator), group: 0, links: .random(in: 1...3, using: &generator),
            inode: .random(in: 1...30, using: &generator), device: .random(in: 1...2, using: &generator),
            accessList: anyList())
    }

    /// One of two, or none; where lists come and go, one of a few, which are others after a while.
    mutating func anyList() -> AccessListID {
        guard let serial = listSerial else {
            return AccessLists.intern([UInt8](repeating: 7, count: .random(in: 0...2, using: &generator)), owner: 0)
        }
        if chance(20) { return .none }
        listSerial = serial + 1
        let number = UInt64(serial / 16 + .random(in: 0..<6, using: &generator))
        let bytes = "list \(number) of \(seed)".utf8 + []
        let list = AccessLists.intern(bytes, owner: 0)
        lists[list] = bytes
        return list
    }

    /// Lets go of the unused access lists.
    mutating func sweep() {
        var allowance = AccessListAllowance()
        AccessLists.beginSweep()
        index.sweepAccessLists(&allowance)
        lease = AccessLists.lease()
    }

    /// Whether the lists of all rows, as the model has them, are what they were.
    func hasLists(of model: Model) -> Bool {
        model.entries.values.allSatisfy { hasList($0.status.accessList) }
    }

    func hasList(_ list: AccessListID) -> Bool { list == .none || AccessLists.bytes(of: list) == lists[list] }

    func row(_ path: Path) -> Row { model.row(path)! }

    /// One random change in both. Returns the change, and the failure if there was one.
    mutating func step() throws -> (what: String, failure: String?) {
        index.tidyAttributes()
        // Models are slow: they are kept small, but for those that were filled.
        if model.entries.count > largest, chance(60) { return try remove() }
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<30: return try insert()
        case 30..<38: return try insertBatch()
        case 38..<52: return try update()
        case 52..<58: return try setXattrs()
        case 58..<76: return try move()
        case 76..<84: return try replace()
        case 84..<91: return try exchange()
        default: return try remove()
        }
    }

    mutating func adopt(_ row: Row, at path: Path, _ status: FileStatus) -> String? {
        guard let id = index.identifier(of: row) else { return "no identifier" }
        model.entries[path] = Model.Entry(id: id, status: status, xattrs: nil)
        order.append(path)
        return given.insert(id).inserted ? nil : "\(id) was given twice"
    }

    mutating func insert() throws -> (String, String?) {
        let directory = anyDirectory()
        let name = anyName()
        let path = directory.appending(name)
        let status = anyStatus()
        do {
            let parent = row(directory)
            let row = try name.withUnsafeBytes { try index.insert(parent: parent, name: $0, status: status) }
            if model.isTaken(path) { return ("insert", "a taken name was given again") }
            return ("insert", adopt(row, at: path, status))
        } catch let error as IndexError {
            return ("insert", error == model.row(path).map { .nameTaken($0) } ? nil : "\(error)")
        }
    }

    mutating func insertBatch() throws -> (String, String?) {
        let directory = anyDirectory()
        var names: [UInt8] = []
        var lengths: [UInt16] = []
        var statuses: [FileStatus] = []
        var paths: [Path] = []
        for _ in 0..<Int.random(in: 0...6, using: &generator) {
            let name = anyName()
            names += name
            lengths.append(UInt16(name.count))
            statuses.append(anyStatus())
            paths.append(directory.appending(name))
        }
        var rows: [Row] = []
        try index.insertChildren(of: row(directory), names, lengths, statuses, recording: true, into: &rows)
        guard rows.count == paths.count else { return ("batch", "\(rows.count) rows for \(paths.count) names") }
        for (at, path) in paths.enumerated() {
            if let there = model.entries[path] {
                if there.id.row != rows[at] { return ("batch", "another row for what was there") }
                model.update(path, statuses[at])
            } else {
                // An update of a name that comes twice may have ended the directory's subtree, not the row itself.
                if let failure = adopt(rows[at], at: path, statuses[at]) { return ("batch", failure) }
            }
        }
        return ("batch", nil)
    }

    mutating func update() throws -> (String, String?) {
        guard let path = anyPath() else { return ("update", nil) }
        var status = model.entries[path]!.status
        if chance(60) { status.size += .random(in: 0...1, using: &generator) } else { status = anyStatus() }
        // Until it is looked at, the packages among the directories are as they were, and so is the difference.
        let isSettled = chance(50)
        if isSettled { index.storage.settle() }
        let before = model.ownStatus(path)
        let differs = try index.update(row(path), status)
        model.update(path, status)
        return ("update", isSettled && differs != (before != model.ownStatus(path)) ? "says \(differs)" : nil)
    }

    mutating func setXattrs() throws -> (String, String?) {
        guard let path = anyPath() else { return ("extras", nil) }
        let xattrs = anyXattrs()
        let differs = try index.setXattrs(row(path), xattrs)
        if differs != (model.entries[path]!.xattrs.orNone != xattrs.orNone) { return ("extras", "says \(differs)") }
        model.entries[path]!.xattrs = xattrs
        return ("extras", nil)
    }

    mutating func move() throws -> (String, String?) {
        guard let path = anyPath() else { return ("move", nil) }
        let directory = chance(30) ? path.directory : anyDirectory()
        let name = chance(30) ? path.lastName : anyName()
        let new = directory.appending(name)
        let expected: IndexError? =
            new == path
            ? nil
            : model.row(new).map { .nameTaken($0) }
                ?? (directory == path || directory.isBelow(path) ? .wouldContainItself(row(path)) : nil)
        do {
            try name.withUnsafeBytes { try index.move(row(path), to: row(directory), name: $0) }
            if expected != nil { return ("move", "not refused") }
            model.move(path, to: new)
            reorder(new)
            return ("move", nil)
        } catch let error as IndexError {
            return ("move", error == expected ? nil : "\(error), not \(String(describing: expected))")
        }
    }

    mutating func replace() throws -> (String, String?) {
        guard let target = anyPath(), let source = anyPath() else { return ("replace", nil) }
        let what = "replace"
        do {
            try index.replace(row(target), with: row(source))
            if target.isBelow(source) { return (what, "not refused") }
            model.replace(target, with: source)
            reorder(target)
            return (what, nil)
        } catch {
            return (what, target.isBelow(source) && error == .wouldContainItself(row(source)) ? nil : "\(error)")
        }
    }

    mutating func exchange() throws -> (String, String?) {
        guard let a = anyPath(), let b = anyPath() else { return ("exchange", nil) }
        do {
            try index.exchange(row(a), row(b))
            if a.isBelow(b) || b.isBelow(a) { return ("exchange", "not refused") }
            model.exchange(a, b)
            reorder(a)
            reorder(b)
            return ("exchange", nil)
        } catch {
            return ("exchange", a.isBelow(b) || b.isBelow(a) ? nil : "\(error)")
        }
    }

    mutating func remove() throws -> (String, String?) {
        guard let path = anyPath() else { return ("remove", nil) }
        let gone = model.entries[path]!.id
        try index.remove(row(path))
        model.remove(path)
        return ("remove", index.isLive(gone) ? "still lives" : nil)
    }

    /// Compares everything.
    func failure() -> String? {
        if let broken = index.checkInvariants() { return broken }
        index.storage.settle()
        if let broken = index.checkInvariants() { return broken }
        if let different = model.difference(from: index, rows: index.allRows, isLoose: isRestored) { return different }
        if index.count != model.entries.count { return "count" }
        if index.directoryCount != model.entries.values.count(where: { $0.status.kind.isDirectory }) {
            return "directoryCount"
        }
        var descendants: Set<Row> = []
        index.forEachDescendant(of: .root) {
            descendants.insert($0)
            return true
        }
        if descendants.count != model.entries.count { return "descendants" }
        for (path, entry) in model.entries where entry.status.links > 1 || entry.status.kind.isDirectory {
            let expected = model.entries.values.filter {
                $0.status.inode == entry.status.inode && $0.status.device == entry.status.device
                    && ($0.status.links > 1 || $0.status.kind.isDirectory)
            }
            let found = index.rows(inode: entry.status.inode, device: entry.status.device)
            if Set(found) != Set(expected.map(\.id.row)) || found.count != expected.count {
                return "rows of the inode of \(String(decoding: path, as: UTF8.self))"
            }
            break
        }
        return nil
    }
}
