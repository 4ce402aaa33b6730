// swift-tools-version: 6.2
// Programs that feed random bytes to what reads from outside: a package of its own, since everything in it is built with
// the address sanitizer and with the counters that libFuzzer goes by. The sources are the product's, by symbolic links.
// `Packaging/fuzz` builds and runs it.
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
                "LinuxSystem", "Metadata", .product(name: "Collections", package: "swift-collections"),
            ]),
        .systemLibrary(name: "CPCRE2", pkgConfig: "libpcre2-8", providers: [.apt(["libpcre2-dev"])]),
        .target(name: "ContentTypes"),
        .target(name: "Metadata"),
        .target(
            name: "PredicateLanguage",
            dependencies: [
                "ContentTypes", "Metadata", "CPCRE2", .product(name: "Collections", package: "swift-collections"),
            ]),
        .target(
            name: "MetadataIndex",
            dependencies: ["Metadata", .product(name: "Collections", package: "swift-collections")]),
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

// The house settings, and what libFuzzer needs to see which ways the program takes: in our own modules only.
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
    // The checksums of saved state, which no one but its reader and writer knows, have to be made to fit.
    if ["MetadataIndex", "FileWatching"].contains(target.name) {
        target.swiftSettings?.append(.unsafeFlags(["-enable-testing"]))
    }
}
