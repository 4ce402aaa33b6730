// The ladder of the house, written down once for the tests: which target stands on which rung, and what it may import.
// SPDX-License-Identifier: Apache-2.0

/// One target and what its row in design and CONTRIBUTING.md allows it to import.
struct Rung {
    let target: String
    let height: Int
    /// Modules, of the house and from elsewhere.
    let imports: Set<String>

    init(_ height: Int, _ target: String, _ imports: [String]...) {
        self.height = height
        self.target = target
        self.imports = Set(imports.joined())
    }
}

enum Ladder {
    /// Every target may have these: the C library, and the standard library's module for atomics and locks.
    static let everywhere: Set<String> = ["Glibc", "Synchronization"]

    /// What comes with Swift and is no dependency of the manifest, but has to be named in a row.
    static let toolchain: Set<String> = ["Foundation", "Dispatch"]

    static let nio = ["NIOCore", "NIOPosix"]
    static let log = ["Logging"]
    static let system = ["SystemPackage"]
    static let arguments = ["ArgumentParser"]
    static let lifecycle = ["ServiceLifecycle", "UnixSignals"]
    static let deque = ["DequeModule"]

    static let rungs: [Rung] = [
        Rung(0, "CLinux"),
        Rung(0, "CSystemd"),
        Rung(0, "CPCRE2"),
        Rung(0, "CMessageDigest"),
        Rung(0, "CTurboJPEG"),
        Rung(0, "CPNG"),
        Rung(0, "CNcurses"),
        Rung(0, "Metadata"),
        Rung(1, "LinuxSystem", ["CLinux"], system),
        Rung(1, "ContentTypes", ["Metadata"]),
        Rung(1, "Varlink", nio),
        Rung(2, "PredicateLanguage", ["ContentTypes", "Metadata", "CPCRE2"]),
        Rung(2, "MetadataIndex", ["Metadata"]),
        Rung(2, "FileWatching", ["LinuxSystem", "Metadata"], deque),
        Rung(2, "SaveFiles", ["LinuxSystem", "Metadata"]),
        Rung(2, "Syncthing", ["Varlink", "Metadata", "NIOHTTP1"], nio),
        Rung(3, "LiveQueries", ["MetadataIndex", "PredicateLanguage", "ContentTypes", "Metadata"], deque),
        Rung(3, "GatherProtocol", ["Varlink", "Metadata"]),
        Rung(
            4, "GatherService",
            [
                "LinuxSystem", "SaveFiles", "Metadata", "Varlink", "PredicateLanguage", "MetadataIndex", "FileWatching",
                "LiveQueries", "GatherProtocol", "ContentTypes",
            ], system, nio, log, lifecycle),
        Rung(4, "GatherKit", ["GatherProtocol", "Varlink", "LinuxSystem", "Metadata"], nio),
        Rung(5, "GatherFoundation", ["GatherKit", "Foundation"]),
        Rung(5, "GatherDocuments", ["GatherKit", "SaveFiles", "Varlink", "LinuxSystem", "Metadata"], nio),
        Rung(
            5, "SyncService",
            ["Syncthing", "GatherProtocol", "SaveFiles", "Varlink", "LinuxSystem", "Metadata", "CMessageDigest"], nio,
            log, lifecycle),
        Rung(5, "SystemdSupport", ["CSystemd", "LinuxSystem", "Dispatch"], log),
        Rung(6, "gatherd", ["GatherService", "SystemdSupport", "LinuxSystem"], log, arguments),
        Rung(6, "gather-syncd", ["SyncService", "SystemdSupport", "LinuxSystem"], log, arguments),
        Rung(
            6, "gather",
            [
                "GatherKit", "GatherDocuments", "SaveFiles", "PredicateLanguage", "ContentTypes", "GatherService",
                "LinuxSystem", "Metadata",
            ], arguments),
        Rung(
            6, "GroceryModel",
            [
                "GatherKit", "GatherDocuments", "SaveFiles", "PredicateLanguage", "Varlink", "LinuxSystem",
                "CTurboJPEG", "CPNG",
            ], nio),
        Rung(
            7, "GroceryPage",
            [
                "GroceryModel", "GatherDocuments", "GatherKit", "SaveFiles", "LinuxSystem", "Varlink", "Metadata",
                "NIOHTTP1",
            ], nio),
        Rung(7, "GroceryScreen", ["GroceryModel", "CNcurses", "GatherDocuments", "GatherKit", "LinuxSystem"]),
        Rung(
            8, "grocery",
            ["GatherKit", "GatherDocuments", "GroceryModel", "GroceryPage", "GroceryScreen", "Varlink", "LinuxSystem"],
            arguments),
    ]

    static func rung(of target: String) -> Rung? { rungs.first { $0.target == target } }
}
