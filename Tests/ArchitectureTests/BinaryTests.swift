// The libraries that the built programs are linked with.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

struct BinaryTests {
    /// Where the products lie: beside this bundle of tests.
    private let directory = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()

    private func product(_ name: String) throws -> String {
        // The bundle is run by itself, or through a helper of the toolchain with the bundle's path as an argument.
        let bundles =
            [directory.path()] + CommandLine.arguments.filter { $0.hasSuffix(".xctest") }
        let paths = bundles.map { URL(filePath: $0).deletingLastPathComponent().path() + name }
        return try #require(
            paths.first { FileManager.default.isExecutableFile(atPath: $0) }, "\(name) is not in \(paths)")
    }

    // Full Foundation takes milliseconds to load and megabytes to hold; FoundationEssentials comes with the parser of
    // arguments.
    @Test(arguments: ["gatherd", "gather"])
    func `Programs do not link full Foundation`(_ name: String) async throws {
        let (libraries, status) = try await output(of: "/usr/bin/ldd", product(name))
        // An optimized gather is linked as a whole.
        if name == "gather", libraries.contains("not a dynamic executable") { return }
        try #require(status == 0, "\(libraries)")
        #expect(libraries.contains("libc.so.6"), "\(libraries)")
        #expect(!libraries.contains("libFoundation.so"), "\(libraries)")
    }
}
