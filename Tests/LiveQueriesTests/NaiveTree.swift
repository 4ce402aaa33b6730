// A tree of files as a child would write it, beside a real index: the oracle of these tests.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import TestSupport

@testable import MetadataIndex

extension SeededGenerator {
    mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &self) == 0 }
    mutating func pick<T>(_ values: [T]) -> T { values[Int.random(in: 0..<values.count, using: &self)] }
}

/// One file or directory. `parent` is nil at the top.
struct NaiveItem {
    var parent: Int?
    var name: String
    var status: FileStatus
    /// By name without `user.`; where a link leads is without one. Nil as long as they are not known.
    var xattrs: [String: String]?
    /// Grows with everything of its own that changes.
    var version = 0
}

/// An item as a closure of a test sees it.
struct NaiveView: Equatable {
    var id: ItemIdentifier
    var name: String
    var path: String
    var status: FileStatus
    var xattrs: [String: String]
    var parentName: String?
    /// The users, of group 100, that may list and stat it, and those of them that may read it.
    var seers: Set<UInt32> = []
    var readers: Set<UInt32> = []
    /// For a package, the status of the directory itself, and the users that may list all that lies within.
    var own: FileStatus
    var openers: Set<UInt32> = []
    /// The path of the package that it lies inside.
    var packagePath: String?
    var isInPackage: Bool { packagePath != nil }
    /// The path of the lowest archive that it lies below.
    var archivePath: String? {
        let names = path.split(separator: "/")
        return names.indices.dropLast().last { NaiveTree.archives.contains(String(names[$0])) }
            .map { names[...$0].joined(separator: "/") }
    }
    /// The conflict versions in its directory, and of a package all inside.
    var versionsBeside = 0
    var versionsInside = 0
    var conflicts: Int { archivePath == nil ? versionsBeside + versionsInside : 0 }

    /// As a user may know it who sees it; nil for one who sees everything.
    func seen(by user: UInt32?) -> NaiveView {
        guard let user, !openers.contains(user) else { return self }
        var view = self
        view.status = own
        view.versionsInside = 0
        return view
    }

    var tags: [String] { xattrs["xdg.tags"]?.split(separator: ",").map(String.init) ?? [] }
    var comment: String? { xattrs["xdg.comment"] }
    var rating: Int? { xattrs["baloo.rating"].flatMap { Int($0) } }
    var target: String? { xattrs[""] }

    /// As it is to somebody who may not read the file.
    var closed: NaiveView {
        var view = self
        view.xattrs = xattrs.filter { $0.key.isEmpty }
        return view
    }

    var depth: Int { path.split(separator: "/").count }
    var isInDocuments: Bool { path.hasPrefix("Documents/") }
    var kind: FileKind { status.kind }
}

/// A tree in dictionaries, and a real index to which the same is done.
struct NaiveTree {
    private(set) var items: [Int: NaiveItem] = [:]
    private(set) var rows: [Int: ItemIdentifier] = [:]
    private var next = 0
    let index: MetadataIndex

    /// With `isSwept`, whatever goes with something below goes from the index in sweeps.
    init(isSwept: Bool = false) {
        index = MetadataIndex(root: NaiveTree.status(.directory))
        if isSwept { index.storage.limits.smallestSweep = 1 }
    }

    static func status(_ kind: FileKind, size: Int64 = 0) -> FileStatus {
        FileStatus(
            kind: kind, mode: 0o644, size: size, created: nil, modified: Timestamp(nanoseconds: 0),
            changed: Timestamp(nanoseconds: 0), owner: 0, group: 0, links: 1, inode: 1, device: 1)
    }

    /// The names of archives.
    static let archives: Set<String> = [".gather", ".stversions"]

    // MARK: Reading

    func path(_ item: Int) -> String {
        var names: [String] = []
        var at: Int? = item
        while let here = at, let entry = items[here] {
            names.insert(entry.name, at: 0)
            at = entry.parent
        }
        return names.joined(separator: "/")
    }

    func view(_ item: Int) -> NaiveView? {
        guard var entry = items[item], let id = rows[item] else { return nil }
        // Inside a package there are plain directories only.
        if entry.status.kind == .package, package(around: item) != nil { entry.status.kind = .directory }
        var status = entry.status
        var openers = Set(NaiveTree.viewers)
        if status.kind == .package {
            let inside = items.filter { $0.key != item && isWithin($0.key, item) }.map(\.value.status)
            status.size = inside.filter { $0.kind == .file }.reduce(0) { $0 + $1.size }
            status.modified = inside.map(\.modified).reduce(status.modified, max)
            status.changed = inside.map(\.changed).reduce(status.changed, max)
            let directories = [entry.status] + inside.filter(\.kind.isDirectory)
            openers = openers.filter { user in directories.allSatisfy { NaiveTree.may(user, 5, $0) } }
        }
        return NaiveView(
            id: id, name: entry.name, path: path(item), status: status, xattrs: entry.xattrs ?? [:],
            parentName: entry.parent.flatMap { items[$0]?.name },
            seers: Set(NaiveTree.viewers.filter { sees($0, item) }),
            readers: Set(NaiveTree.viewers.filter { NaiveTree.may($0, 4, entry.status) }), own: entry.status,
            openers: openers, packagePath: package(around: item).map(path),
            versionsBeside: items.values.count {
                $0.status.kind == .file && $0.parent == entry.parent
                    && NaiveVersions.versions[$0.name]?.original == entry.name
            },
            versionsInside: status.kind != .package
                ? 0
                : items.count {
                    $0.key != item && $0.value.status.kind == .file && isWithin($0.key, item)
                        && NaiveVersions.versions[$0.value.name] != nil
                })
    }

    /// The highest of those that are to be packages: inside it there is none.
    private func package(around item: Int) -> Int? {
        var found: Int?
        var at = items[item]?.parent
        while let here = at, let entry = items[here] {
            if entry.status.kind == .package { found = here }
            at = entry.parent
        }
        return found
    }

    /// Users who do not see everything; to them the root is open.
    static let viewers: [UInt32] = [1_000, 1_001, 1_002]

    private static func may(_ user: UInt32, _ bits: UInt16, _ status: FileStatus) -> Bool {
        let shift: UInt16 = status.owner == user ? 6 : status.group == 100 ? 3 : 0
        return (status.mode >> shift) & bits == bits
    }

    private func sees(_ user: UInt32, _ item: Int) -> Bool {
        var at = items[item]?.parent
        var wanted: UInt16 = 5
        while let here = at, let entry = items[here] {
            guard NaiveTree.may(user, wanted, entry.status) else { return false }
            wanted = 1
            at = entry.parent
        }
        return true
    }

    var views: [NaiveView] { items.keys.sorted().compactMap(view) }

    func children(_ parent: Int?) -> [Int] { items.filter { $0.value.parent == parent }.map(\.key) }

    func isWithin(_ item: Int?, _ ancestor: Int) -> Bool {
        var at = item
        while let here = at {
            if here == ancestor { return true }
            at = items[here]?.parent
        }
        return false
    }

    private func row(_ item: Int?) -> Row { item.flatMap { rows[$0]?.row } ?? .root }
    private func isFree(_ parent: Int?, _ name: String) -> Bool {
        !items.values.contains { $0.parent == parent && $0.name == name }
    }

    // MARK: Changing

    @discardableResult
    mutating func insert(_ name: String, in parent: Int? = nil, _ status: FileStatus) throws -> Int? {
        guard isFree(parent, name) else { return nil }
        let directory = row(parent)
        let row = try Array(name.utf8).withUnsafeBytes {
            try index.insert(parent: directory, name: $0, status: status)
        }
        next += 1
        items[next] = NaiveItem(parent: parent, name: name, status: status)
        rows[next] = index.identifier(of: row)
        return next
    }

    mutating func update(_ item: Int, _ change: (inout FileStatus) -> Void) throws {
        guard var entry = items[item] else { return }
        let old = entry.status
        change(&entry.status)
        if entry.status != old { entry.version += 1 }
        try index.update(row(item), entry.status)
        items[item] = entry
    }

    mutating func setTags(_ item: Int, _ tags: [String]) throws {
        try setXattrs(item, tags.isEmpty ? [:] : ["xdg.tags": tags.joined(separator: ",")])
    }

    mutating func setXattrs(_ item: Int, _ xattrs: [String: String]) throws {
        if let old = items[item]?.xattrs, old != xattrs { items[item]?.version += 1 }
        items[item]?.xattrs = xattrs
        let record =
            xattrs[""].map { ExtraAttributes(target: Array($0.utf8)) }
            ?? ExtraAttributes(xattrs.map { (Array($0.key.utf8), Array($0.value.utf8)) })
        try index.setXattrs(row(item), record)
    }

    mutating func move(_ item: Int, to parent: Int?, _ name: String) throws {
        guard isFree(parent, name), !isWithin(parent, item) else { return }
        try Array(name.utf8).withUnsafeBytes { try index.move(row(item), to: row(parent), name: $0) }
        items[item]?.parent = parent
        items[item]?.name = name
        items[item]?.version += 1
    }

    mutating func replace(_ target: Int, with source: Int) throws {
        guard target != source, !isWithin(target, source), let entry = items[source] else { return }
        try index.replace(row(target), with: row(source))
        // The source is detached first: it may lie below the target, whose children go.
        items[source]?.parent = -1
        for child in children(target) { forget(child) }
        for child in children(source) {
            items[child]?.parent = target
            items[child]?.version += 1
        }
        if items[target]?.status != entry.status { items[target]?.version += 1 }
        if let old = items[target]?.xattrs, old != entry.xattrs { items[target]?.version += 1 }
        items[target]?.status = entry.status
        items[target]?.xattrs = entry.xattrs
        items[source] = nil
        rows[source] = nil
    }

    mutating func exchange(_ a: Int, _ b: Int) throws {
        guard a != b, !isWithin(a, b), !isWithin(b, a), let first = items[a], let second = items[b] else { return }
        try index.exchange(row(a), row(b))
        items[a]?.parent = second.parent
        items[a]?.name = second.name
        items[b]?.parent = first.parent
        items[b]?.name = first.name
        items[a]?.version += 1
        items[b]?.version += 1
    }

    mutating func remove(_ item: Int) throws {
        guard items[item] != nil else { return }
        try index.remove(row(item))
        forget(item)
    }

    private mutating func forget(_ item: Int) {
        for child in children(item) { forget(child) }
        items[item] = nil
        rows[item] = nil
    }
}

// MARK: Random changes

extension NaiveTree {
    static let names = [
        "a", "b", "c", "Documents", "Item_1", "Item_2", "item_3", "x.jpg", "y.JPG", "z.jpg", "notes.txt", ".hidden",
        "sub",
        "tar.gz", "Übung.txt", "a2", "a10", "Library",
    ]
    static let xattrs: [[String: String]] = [
        [:], ["xdg.tags": "red"], ["xdg.tags": "green"], ["xdg.tags": "red,blue"],
        ["xdg.comment": "red", "baloo.rating": "3"], ["xdg.comment": "a tree", "xdg.tags": "blue"],
        ["baloo.rating": "5"], ["baloo.rating": "many", "a": "red"], ["a": "x", "b-c": "x.y"], ["": "../b"],
        ["": "red"],
    ]

    static func randomStatus(_ kind: FileKind, _ generator: inout SeededGenerator) -> FileStatus {
        var status = status(kind, size: Int64.random(in: 0..<5, using: &generator) * 100)
        status.mode = generator.pick(
            kind.isDirectory ? [0o755, 0o755, 0o755, 0o711, 0o750, 0o700, 0o705] : [0o644, 0o600, 0o755, 0o066])
        status.owner = generator.pick([0, 1_000, 1_001])
        status.group = generator.pick([0, 100])
        status.created = generator.chance(3) ? nil : Timestamp(nanoseconds: Int64.random(in: 0..<4, using: &generator))
        status.modified = Timestamp(nanoseconds: Int64.random(in: 0..<4, using: &generator) * 1_000_000_000)
        status.inode =
            generator.chance(10)
            ? .max - .random(in: 0..<3, using: &generator) : .random(in: 1..<1_000, using: &generator)
        return status
    }

    /// Makes a package of a directory, or a directory of a package.
    mutating func randomPackage(_ generator: inout SeededGenerator) throws {
        let directories = items.keys.sorted().filter { items[$0]?.status.kind.isDirectory == true }
        guard let item = directories.randomElement(using: &generator) else { return }
        try update(item) { $0.kind = $0.kind == .package ? .directory : .package }
    }

    mutating func randomChange(_ generator: inout SeededGenerator, size: Int) throws {
        let all = items.keys.sorted()
        let directories = all.filter { items[$0]?.status.kind.isDirectory == true }
        let parent: Int? = directories.isEmpty || generator.chance(5) ? nil : generator.pick(directories)
        let name = generator.pick(NaiveTree.names)
        if all.count < size || generator.chance(4) {
            let kind: FileKind = generator.chance(2) ? .directory : generator.pick([.file, .file, .symlink, .package])
            try insert(name, in: parent, NaiveTree.randomStatus(kind, &generator))
            return
        }
        let item = generator.pick(all)
        switch Int.random(in: 0..<12, using: &generator) {
        case 0..<3: try update(item) { $0.size = Int64.random(in: 0..<5, using: &generator) * 100 }
        case 3:
            let kind = items[item]?.status.kind ?? .file
            let status = NaiveTree.randomStatus(kind, &generator)
            try update(item) { $0 = status }
        case 4..<6: try setXattrs(item, generator.pick(NaiveTree.xattrs))
        case 6..<8: try move(item, to: parent, name)
        case 8:
            if let directory = directories.randomElement(using: &generator) { try move(directory, to: parent, name) }
        case 9: try replace(item, with: generator.pick(all))
        case 10: try exchange(item, generator.pick(all))
        default: if all.count > size / 2 { try remove(item) }
        }
    }
}
