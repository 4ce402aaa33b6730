// swift-tools-version: 6.2.3
// The targets of Gather. CONTRIBUTING.md, "Layers", has the rung of each and what it may import. Tests/ArchitectureTests
// compares this file and the imports of the sources with that table.

import PackageDescription

let nio = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let log = Target.Dependency.product(name: "Logging", package: "swift-log")
let system = Target.Dependency.product(name: "SystemPackage", package: "swift-system")
let deque = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let signals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")

// Each event enters the parts of the watcher and the index many times. The runtime's checks that no two accesses overlap were 15 % of the
// daemon's own time there. Builds without optimization check each access, and all tests and the model checker run them.
let checksAccessInDebugBuilds: [SwiftSetting] = [
    .unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release))
]

let package = Package(
    name: "gather",
    products: [
        .library(name: "GatherKit", targets: ["GatherKit"]),
        .library(name: "GatherFoundation", targets: ["GatherFoundation"]),
        .library(name: "GatherDocuments", targets: ["GatherDocuments"]),
        .executable(name: "gatherd", targets: ["gatherd"]),
        .executable(name: "gather-syncd", targets: ["gather-syncd"]),
        .executable(name: "gather", targets: ["gather"]),
        .executable(name: "grocery", targets: ["grocery"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // MARK: C, and the vocabulary

        .target(name: "CLinux"),
        .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        .systemLibrary(name: "CPCRE2", pkgConfig: "libpcre2-8", providers: [.apt(["libpcre2-dev"])]),
        .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
        .systemLibrary(name: "CMessageDigest", pkgConfig: "libmd", providers: [.apt(["libmd-dev"])]),
        .systemLibrary(name: "CTurboJPEG", pkgConfig: "libturbojpeg", providers: [.apt(["libturbojpeg0-dev"])]),
        .systemLibrary(name: "CPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),
        .target(name: "CNcurses", linkerSettings: [.linkedLibrary("ncursesw"), .linkedLibrary("tinfo")]),

        .target(name: "Metadata"),
        .testTarget(name: "MetadataTests", dependencies: ["TestSupport", "Metadata"]),

        // MARK: The system, content types, the wire

        .target(name: "LinuxSystem", dependencies: ["CLinux", system]),
        .target(name: "TestSupport", path: "Tests/TestSupport"),
        .target(name: "IdentityModel", path: "Tests/IdentityModel"),
        .testTarget(name: "LinuxSystemTests", dependencies: ["TestSupport", "LinuxSystem", "CLinux"]),

        .target(name: "ContentTypes", dependencies: ["Metadata"]),
        .testTarget(name: "ContentTypesTests", dependencies: ["ContentTypes"]),

        .target(name: "Varlink", dependencies: [nio, nioPosix]),
        .testTarget(
            name: "VarlinkTests",
            dependencies: ["TestSupport", "Varlink", nio, .product(name: "NIOEmbedded", package: "swift-nio")]),

        // MARK: The language, the index, the watching, saved files

        .target(name: "PredicateLanguage", dependencies: ["ContentTypes", "Metadata", "CPCRE2"]),
        .testTarget(
            name: "PredicateLanguageTests",
            dependencies: ["TestSupport", "PredicateLanguage", "ContentTypes", "Metadata"],
            exclude: ["Fixtures"]),

        .target(name: "MetadataIndex", dependencies: ["Metadata"], swiftSettings: checksAccessInDebugBuilds),
        .testTarget(
            name: "MetadataIndexTests", dependencies: ["TestSupport", "MetadataIndex", "LinuxSystem", "Metadata"]),

        .target(
            name: "FileWatching", dependencies: ["LinuxSystem", "Metadata", deque],
            swiftSettings: checksAccessInDebugBuilds),
        .testTarget(
            name: "FileWatchingTests",
            dependencies: ["TestSupport", "IdentityModel", "FileWatching", "LinuxSystem", "Metadata"],
            exclude: ["Scenarios"]),

        .target(name: "SaveFiles", dependencies: ["LinuxSystem", "Metadata"]),
        .testTarget(
            name: "SaveFilesTests",
            dependencies: ["TestSupport", "SaveFiles", "LinuxSystem", "Metadata", "DocumentSaver"]),

        .target(name: "Syncthing", dependencies: ["Varlink", "Metadata", "CExpat", nio, nioPosix, nioHTTP1]),
        .testTarget(
            name: "SyncthingTests",
            dependencies: ["TestSupport", "Syncthing", "Varlink", nio, nioPosix, nioHTTP1], exclude: ["Answers"]),

        // MARK: Live queries, our interfaces

        .target(
            name: "LiveQueries",
            dependencies: ["MetadataIndex", "PredicateLanguage", "ContentTypes", "Metadata", deque]),
        .testTarget(
            name: "LiveQueriesTests",
            dependencies: [
                "TestSupport", "LiveQueries", "MetadataIndex", "PredicateLanguage", "ContentTypes", "Metadata",
            ]),

        .target(name: "GatherProtocol", dependencies: ["Varlink", "Metadata"]),
        .testTarget(name: "GatherProtocolTests", dependencies: ["GatherProtocol", "Varlink", "Metadata"]),

        // MARK: The daemon as a library, the client library

        .target(
            name: "GatherService",
            dependencies: [
                "LinuxSystem", "SaveFiles", "Metadata", "ContentTypes", "Varlink", "PredicateLanguage", "MetadataIndex",
                "FileWatching", "LiveQueries", "GatherProtocol", nio, nioPosix, log, lifecycle, signals, system,
            ]),
        .testTarget(
            name: "GatherServiceTests",
            dependencies: [
                "TestSupport", "GatherService", "GatherKit", "GatherProtocol", "FileWatching", "MetadataIndex",
                "Varlink", "LinuxSystem", "Metadata", "ContentTypes", log, nio, nioPosix,
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ]),

        .target(
            name: "GatherKit",
            dependencies: ["GatherProtocol", "Varlink", "LinuxSystem", "Metadata", system, nio, nioPosix]),
        .testTarget(
            name: "GatherKitTests", dependencies: ["TestSupport", "GatherKit", "GatherProtocol", "Varlink", "Metadata"]),

        // MARK: Foundation's predicates, documents, systemd

        .target(name: "GatherFoundation", dependencies: ["GatherKit"]),
        .testTarget(
            name: "GatherFoundationTests",
            dependencies: [
                "TestSupport", "GatherFoundation", "GatherKit", "GatherProtocol", "Varlink", "PredicateLanguage",
                "Metadata",
            ]),

        .target(
            name: "GatherDocuments",
            dependencies: ["GatherKit", "SaveFiles", "Varlink", "LinuxSystem", "Metadata", nio, nioPosix]),
        .testTarget(
            name: "GatherDocumentsTests",
            dependencies: [
                "TestSupport", "GatherDocuments", "GatherService", "GatherKit", "SaveFiles", "LinuxSystem", "Metadata",
            ],
            exclude: ["KeyValueStoreOracle.py"]),

        // MARK: Grocery

        .target(
            name: "GroceryModel",
            dependencies: [
                "GatherDocuments", "GatherKit", "SaveFiles", "PredicateLanguage", "Varlink", "LinuxSystem", "Metadata",
                "CTurboJPEG",
                "CPNG",
                nioPosix,
            ]),
        .testTarget(
            name: "GroceryModelTests",
            dependencies: ["TestSupport", "GroceryModel", "GatherDocuments", "GatherService"],
            exclude: ["sorted-names.txt", "typed-lines.txt"]),

        .target(
            name: "GroceryPage",
            dependencies: [
                "GroceryModel", "GatherDocuments", "GatherKit", "SaveFiles", "LinuxSystem", "Varlink", "Metadata", nio,
                nioPosix, nioHTTP1,
            ],
            // Inside the program, which needs no files beside it.
            resources: ["page.html", "sw.js", "manifest.json", "icon.svg"].map { .embedInCode("Page/" + $0) }),
        .testTarget(
            name: "GroceryPageTests",
            dependencies: ["TestSupport", "GroceryPage", "GroceryModel", "Metadata", nio, nioPosix, nioHTTP1]),

        .target(
            name: "SyncService",
            dependencies: [
                "Syncthing", "GatherProtocol", "SaveFiles", "Varlink", "LinuxSystem", "Metadata", "CMessageDigest", nio,
                nioPosix, log, lifecycle, signals,
            ]),
        .testTarget(
            name: "SyncServiceTests",
            dependencies: [
                "TestSupport", "SyncService", "Syncthing", "GatherProtocol", "Varlink", "LinuxSystem", "Metadata", nio,
                nioPosix, log,
            ]),

        .target(name: "SystemdSupport", dependencies: ["CSystemd", "LinuxSystem", "Metadata", log]),
        .testTarget(name: "SystemdSupportTests", dependencies: ["TestSupport", "SystemdSupport", "CSystemd", log]),

        // MARK: The programs

        .executableTarget(
            name: "gatherd", dependencies: ["GatherService", "SystemdSupport", "LinuxSystem", log, arguments]),
        .executableTarget(
            name: "gather-syncd", dependencies: ["SyncService", "SystemdSupport", "LinuxSystem", log, arguments]),
        // Scripts start it often. Linked as a whole there is nothing to load and to relocate: 3.2 ms of CPU time for a whole
        // find with few matches with shared libraries, 1.8 ms without. The names of accounts that come from elsewhere than
        // files, which only the daemon asks for, would need the C library of the build at run time.
        .executableTarget(
            name: "gather",
            dependencies: [
                "GatherKit", "GatherDocuments", "SaveFiles", "PredicateLanguage", "ContentTypes", "GatherService",
                "LinuxSystem", "Metadata", arguments,
            ],
            linkerSettings: [.unsafeFlags(["-static-executable"], .when(configuration: .release))]),
        .testTarget(name: "GatherCommandTests", dependencies: ["gather", "GatherKit", "Metadata", arguments]),
        .executableTarget(
            name: "grocery",
            dependencies: [
                "GatherKit", "GatherDocuments", "GroceryModel", "GroceryPage", "GroceryScreen", "Varlink",
                "LinuxSystem",
                arguments,
            ],
            linkerSettings: [.unsafeFlags(["-static-executable"], .when(configuration: .release))]),

        // MARK: The full-screen view

        .target(
            name: "GroceryScreen",
            dependencies: ["GroceryModel", "CNcurses", "GatherDocuments", "GatherKit", "LinuxSystem"]),
        .testTarget(
            name: "GroceryScreenTests",
            dependencies: ["TestSupport", "GroceryScreen", "GroceryModel", "CNcurses", "GatherDocuments"]),

        // MARK: Tests of the whole

        .testTarget(name: "ArchitectureTests", dependencies: ["TestSupport"], exclude: ["sizes.txt"]),
        // The targets of Tests/Fuzzing, with the bytes that are kept for them. libFuzzer has them in a package of its own.
        .testTarget(
            name: "FuzzingTests",
            dependencies: [
                "Varlink", "PredicateLanguage", "MetadataIndex", "FileWatching", "LinuxSystem", "Metadata", nio,
            ],
            path: "Tests/Fuzzing",
            exclude: ["Package.swift", "Corpus", "Sources/CLibFuzzer", "Sources/Fuzz/Fuzz.swift"]),
        // It sorts and compares thousands of paths for each question: optimized in each configuration, so that a run of any
        // mode takes seconds.
        .testTarget(
            name: "ModelCheckerTests", dependencies: ["TestSupport", "IdentityModel", "gatherd"],
            swiftSettings: [.unsafeFlags(["-O"])]),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "TestSupport", "GatherKit", "GatherDocuments", "GatherProtocol", "Varlink", "Metadata", "gatherd",
                "gather", "gather-syncd", "grocery", "DocumentSaver", nio, nioPosix,
            ]),
        .executableTarget(
            name: "DocumentSaver", dependencies: ["GatherDocuments", "SaveFiles", "LinuxSystem"],
            path: "Tests/DocumentSaver"),
    ],
    swiftLanguageModes: [.v6]
)

// House settings for every Swift target.
for target in package.targets where target.type != .system && !["CLinux", "CNcurses"].contains(target.name) {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("MemberImportVisibility"),
            .enableUpcomingFeature("InternalImportsByDefault"),
            .treatAllWarnings(as: .error),
        ]
}
