// swift-tools-version: 6.2.3
// The targets without swift-nio that have unsafe memory or threads. Under a sanitizer they build in a
// fraction of the time of all targets.
// `Packaging/dev/sanitize --units` links them, builds them and runs them.
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let system = Target.Dependency.product(name: "SystemPackage", package: "swift-system")
let deque = Target.Dependency.product(name: "DequeModule", package: "swift-collections")

let package = Package(
    name: "sanitizing",
    dependencies: [
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    ],
    targets: [
        .target(name: "CLinux"),
        .systemLibrary(name: "CPCRE2", pkgConfig: "libpcre2-8", providers: [.apt(["libpcre2-dev"])]),
        .target(name: "LinuxSystem", dependencies: ["CLinux", system]),
        .target(name: "ContentTypes", dependencies: ["Metadata"]),
        .target(name: "Metadata"),
        .target(name: "PredicateLanguage", dependencies: ["ContentTypes", "Metadata", "CPCRE2"]),
        .target(name: "MetadataIndex", dependencies: ["Metadata"]),
        .target(name: "FileWatching", dependencies: ["LinuxSystem", "Metadata", deque]),

        .target(name: "TestSupport", path: "Tests/TestSupport"),
        .target(name: "IdentityModel", path: "Tests/IdentityModel"),
        .testTarget(name: "LinuxSystemTests", dependencies: ["TestSupport", "LinuxSystem", "CLinux"]),
        .testTarget(name: "ContentTypesTests", dependencies: ["ContentTypes"]),
        .testTarget(name: "MetadataTests", dependencies: ["TestSupport", "Metadata"]),
        .testTarget(
            name: "PredicateLanguageTests",
            dependencies: ["TestSupport", "PredicateLanguage", "ContentTypes", "Metadata"],
            exclude: ["Fixtures"]),
        .testTarget(
            name: "MetadataIndexTests", dependencies: ["TestSupport", "MetadataIndex", "LinuxSystem", "Metadata"]),
        .testTarget(
            name: "FileWatchingTests",
            dependencies: ["TestSupport", "IdentityModel", "FileWatching", "LinuxSystem", "Metadata"],
            exclude: ["Scenarios"]),
    ],
    swiftLanguageModes: [.v6]
)

// Targets without threads are not built for the thread sanitizer, unless another target needs them.
if Context.environment["GATHER_SANITIZER"] == "thread" {
    let threadless = ["CPCRE2", "ContentTypes", "ContentTypesTests", "PredicateLanguage", "PredicateLanguageTests"]
    package.targets.removeAll { threadless.contains($0.name) }
}

for target in package.targets where target.type != .system && target.name != "CLinux" {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        // Optimized, since a sanitized program is slow, but with assertions and overflow checks.
        .unsafeFlags(["-O", "-assert-config", "Debug"]),
    ]
}
