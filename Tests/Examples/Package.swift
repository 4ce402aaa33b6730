// swift-tools-version: 6.2.3
// Programs that use GatherKit and GatherDocuments, in a package of their own. Another package differs only in the line with the dependency.
// `Packaging/dev/examples` builds and runs them.
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let package = Package(
    name: "examples",
    dependencies: [
        // In another package: .package(url: "…", from: "0.1.0")
        .package(name: "gather", path: "../..")
    ],
    targets: [
        .executableTarget(name: "live-folder", dependencies: [.product(name: "GatherKit", package: "gather")]),
        .executableTarget(name: "notes", dependencies: [.product(name: "GatherDocuments", package: "gather")]),
        .executableTarget(name: "tinypix", dependencies: [.product(name: "GatherDocuments", package: "gather")]),
        .executableTarget(name: "large-files", dependencies: [.product(name: "GatherFoundation", package: "gather")]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets { target.swiftSettings = [.treatAllWarnings(as: .error)] }
