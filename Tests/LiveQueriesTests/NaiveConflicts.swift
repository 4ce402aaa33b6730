// Conflict versions, and predicates about them beside closures that say the same.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Metadata
import TestSupport

/// Names of conflict versions. Which file each belongs to is written down, and not found by reading names.
enum NaiveVersions {
    struct Version: Sendable {
        var original: String
        var device: String?
        /// Seconds since 1970. The dates are of times that occur once in every zone.
        var date: Int64
    }

    static let versions: [String: Version] = {
        let parts = [("a", ""), ("b", ""), ("x", ".jpg"), ("", ".hidden"), ("tar", ".gz"), ("Item_1", "")]
        var found: [String: Version] = [:]
        for (head, tail) in parts {
            for (day, ending, device) in [
                (7, "-ABCDEFG", "ABCDEFG"), (25, "-2345672", "2345672"), (8, "-", nil), (9, "", nil),
            ] as [(Int, String, String?)] {
                let marker = ".sync-conflict-202611\(day < 10 ? "0" : "")\(day)-120509\(ending)"
                found[head + marker + tail] = Version(
                    original: head + tail, device: device, date: seconds(dayOfNovember: day))
            }
        }
        let first = "a.sync-conflict-20261107-120509-ABCDEFG"
        found[first + ".sync-conflict-20261125-120509-2345672"] = Version(
            original: "a", device: "2345672", date: seconds(dayOfNovember: 25))
        return found
    }()
    static let names = versions.keys.sorted() + ["a.sync-conflict-20261131-120509-ABCDEFG"]

    private static func seconds(dayOfNovember day: Int) -> Int64 {
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (126, 10, Int32(day))
        (parts.tm_hour, parts.tm_min, parts.tm_sec, parts.tm_isdst) = (12, 5, 9, -1)
        return Int64(mktime(&parts))
    }
}

extension NaiveView {
    /// Only a regular file outside of archives is one.
    var version: NaiveVersions.Version? {
        kind == .file && archivePath == nil ? NaiveVersions.versions[name] : nil
    }
    var conflictOf: String? { version.map { String(path.dropLast(name.count)) + $0.original } }
}

extension NaiveQuery {
    static let ofConflicts: [NaiveQuery] = [
        NaiveQuery(text: "hasUnresolvedConflicts == TRUE") { $0.conflicts > 0 },
        NaiveQuery(text: "NSMetadataUbiquitousItemHasUnresolvedConflictsKey == NO AND size > 100") {
            $0.conflicts == 0 && $0.status.size > 100
        },
        NaiveQuery(text: "hasUnresolvedConflicts == TRUE AND inPackage IN {YES, NO}") { $0.conflicts > 0 },
        NaiveQuery(text: "conflictVersions > 1") { $0.conflicts > 1 },
        NaiveQuery(text: "conflictVersions == 1 AND kind != 'directory'") {
            $0.conflicts == 1 && $0.kind != .directory
        },
        NaiveQuery(text: "conflictVersions <= 1") { $0.conflicts <= 1 },
        NaiveQuery(text: "conflictVersions + 1 == 3") { $0.conflicts == 2 },
        NaiveQuery(text: "isConflictVersion == TRUE") { $0.version != nil },
        NaiveQuery(text: "NOT isConflictVersion == TRUE AND name BEGINSWITH 'a'") {
            $0.version == nil && $0.name.hasPrefix("a")
        },
        NaiveQuery(text: "conflictOf ENDSWITH '/a/b'") { "/srv/box/\($0.conflictOf ?? "")".hasSuffix("/a/b") },
        NaiveQuery(text: "conflictOf == '/srv/box/a/x.jpg'") { $0.conflictOf == "a/x.jpg" },
        NaiveQuery(text: "conflictOf == nil") { $0.version == nil },
        NaiveQuery(text: "conflictOf != nil") { $0.version != nil },
        NaiveQuery(text: "conflictDevice == 'ABCDEFG'") { $0.version?.device == "ABCDEFG" },
        NaiveQuery(text: "conflictDevice != 'ABCDEFG'") { $0.version?.device != "ABCDEFG" },
        NaiveQuery(text: "conflictDate > '2026-11-20T00:00:00Z'") { ($0.version?.date ?? 0) > 1_795_132_800 },
        NaiveQuery(text: "conflictVersions == 1 OR conflictDevice == '2345672'") {
            $0.conflicts == 1 || $0.version?.device == "2345672"
        },
    ]
}

extension NaiveTree {
    /// The seeds of the models whose trees have conflict versions. Other small seeds stay what they were.
    static let seedsOfConflicts: Range<UInt64> = 1_000..<1_016

    /// The seeds of the models whose trees have archives.
    static let seedsOfArchives: Range<UInt64> = 1_008..<1_024

    /// Seeds from here on are new ones. Each quarter of them has conflict versions, both, archives, or neither.
    private static let newSeeds: UInt64 = 1 << 32

    /// Returns whether the tree of a seed has conflict versions.
    static func hasConflicts(seed: UInt64) -> Bool {
        seedsOfConflicts.contains(seed) || seed >= newSeeds && seed % 4 < 2
    }

    /// Returns whether the tree of a seed has archives.
    static func hasArchives(seed: UInt64) -> Bool {
        seedsOfArchives.contains(seed) || seed >= newSeeds && (1...2).contains(seed % 4)
    }

    /// Gives a directory the name of an archive or takes it away, moves something into an archive, or makes one.
    mutating func randomArchive(_ generator: inout SeededGenerator) throws {
        let directories = items.keys.sorted().filter { items[$0]?.status.kind.isDirectory == true }
        guard let directory = directories.randomElement(using: &generator) else { return }
        let name = generator.pick([".gather", ".gather", ".stversions", ".gatherx"])
        let archives = directories.filter { NaiveTree.archives.contains(items[$0]?.name ?? "") }
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: try insert(name, in: items[directory]?.parent, NaiveTree.randomStatus(.directory, &generator))
        case 1: try move(directory, to: items[directory]?.parent, name)
        case 2:
            guard let archive = archives.randomElement(using: &generator) else { return }
            try move(archive, to: items[archive]?.parent, "kept")
        default:
            guard let archive = archives.randomElement(using: &generator) else { return }
            let item = generator.pick(items.keys.sorted())
            try move(item, to: archive, items[item]?.name ?? "a")
        }
    }

    /// Makes, renames, moves or removes a conflict version, or a file that has one.
    mutating func randomConflict(_ generator: inout SeededGenerator, size: Int) throws {
        let all = items.keys.sorted()
        let directories = all.filter { items[$0]?.status.kind.isDirectory == true }
        let parent: Int? = directories.isEmpty || generator.chance(3) ? nil : generator.pick(directories)
        let name =
            generator.chance(2)
            ? generator.pick(NaiveVersions.names)
            : generator.pick(NaiveVersions.versions.values.map(\.original).sorted())
        guard let item = all.randomElement(using: &generator), all.count > size / 3 else {
            try insert(name, in: parent, NaiveTree.randomStatus(.file, &generator))
            return
        }
        switch Int.random(in: 0..<8, using: &generator) {
        case 0..<4:
            let kind = generator.pick([FileKind.file, .file, .file, .directory, .package])
            if all.count < size * 2 { try insert(name, in: parent, NaiveTree.randomStatus(kind, &generator)) }
        case 4: try move(item, to: items[item]?.parent, name)
        case 5: try move(item, to: parent, name)
        case 6: if all.count > size { try remove(item) }
        default: try exchange(item, generator.pick(all))
        }
    }
}
