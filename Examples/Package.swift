// swift-tools-version: 6.2
// Programs on GatherKit, in a package of their own as yours would be: only the line that says where Gather comes from
// differs. `Packaging/examples` builds and runs them.
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let package = Package(
    name: "examples",
    dependencies: [
        // In yours: .package(url: "…", from: "0.1.0")
        .package(name: "gather", path: "..")
    ],
    targets: [
        .executableTarget(name: "live-folder", dependencies: [.product(name: "GatherKit", package: "gather")]),
        .executableTarget(name: "large-files", dependencies: [.product(name: "GatherFoundation", package: "gather")]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets { target.swiftSettings = [.treatAllWarnings(as: .error)] }
