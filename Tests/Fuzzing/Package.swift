// swift-tools-version: 6.2.3
// Fuzz targets for the parsers and readers. The package is separate, since everything in it is built with the address sanitizer
// and libFuzzer's counters. Its sources are those of the product.
// `Packaging/dev/fuzz` links them, builds it and runs it.
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let package = Package(
    name: "fuzzing",
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    ],
    targets: [
        .target(name: "CLibFuzzer"),
        .target(name: "CLinux"),
        .target(
            name: "LinuxSystem", dependencies: ["CLinux", .product(name: "SystemPackage", package: "swift-system")]),
        .target(
            name: "FileWatching",
            dependencies: [
                "LinuxSystem", "Metadata", .product(name: "DequeModule", package: "swift-collections"),
            ]),
        .systemLibrary(name: "CPCRE2", pkgConfig: "libpcre2-8", providers: [.apt(["libpcre2-dev"])]),
        .target(name: "ContentTypes", dependencies: ["Metadata"]),
        .target(name: "Metadata"),
        .target(name: "PredicateLanguage", dependencies: ["ContentTypes", "Metadata", "CPCRE2"]),
        .target(name: "MetadataIndex", dependencies: ["Metadata"]),
        .target(
            name: "Varlink",
            dependencies: [
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
            ]),
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                "CLibFuzzer", "FileWatching", "LinuxSystem", "Metadata", "MetadataIndex", "PredicateLanguage",
                "Varlink",
                .product(name: "NIOCore", package: "swift-nio"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)

// The usual settings, and libFuzzer's instrumentation in the modules of this project only.
for target in package.targets where target.type != .system && !["CLibFuzzer", "CLinux"].contains(target.name) {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
    ]
    if target.type == .regular {
        target.swiftSettings?.append(
            .unsafeFlags(["-sanitize-coverage=edge,indirect-calls,trace-cmp,inline-8bit-counters,pc-table"]))
    }
    // The fuzz targets compute the checksums of saved state, which are internal.
    if ["MetadataIndex", "FileWatching"].contains(target.name) {
        target.swiftSettings?.append(.unsafeFlags(["-enable-testing"]))
    }
}
