// A package through the real programs: added, watched, shown, and the same after the daemon was killed.
// SPDX-License-Identifier: Apache-2.0

import GatherKit
import Glibc
import TestSupport
import Testing

@Suite(.serialized)
struct PackageTests {
    @Test func `A package is one item, after a kill of the daemon too`() async throws {
        let daemon = try await TestDaemon(containers: ["other"])
        let shop = daemon.directory + "/shop"
        let package = shop + "/List.GRO"
        for path in [shop, shop + "/list", shop + "/list/inner"] { try Change.directory(path) }
        try Change.write("1234", to: shop + "/list/inner/a")
        let added = await daemon.gather("container", "add", "shop", shop, "--package", "gro")
        #expect(added.status == 0, "\(added.errors)")

        let watch = ChildProcess(
            .gather, ["watch", "kind IN {'file', 'package'}", "--container", "shop", "--socket", daemon.socket.path])
        /// Reads until all of these were printed; a package that changes may be told of again.
        func told(_ expected: Set<String>) async throws {
            var open = expected
            while !open.isEmpty {
                let line = try #require(await watch.nextLine(), "the watch ended, waiting for \(open)")
                if open.remove(line) == nil { #expect(line == "~ \(package)") }
            }
        }
        func found(_ arguments: String...) async -> [String] {
            await ChildProcess(.gather, ["find"] + arguments + ["--sort", "path", "--socket", daemon.socket.path])
                .result().lines
        }
        try await told(["  \(shop)/list/inner/a"])

        try Change.rename(shop + "/list", package)
        try await told(["- \(shop)/list/inner/a", "+ \(package)"])
        try Change.write("12345", to: package + "/inner/a")
        try await told(["~ \(package)"])
        #expect(await found("", "--container", "shop", "--attributes", "name,kind,size") == ["List.GRO\tpackage\t5"])
        #expect(await found("inPackage == TRUE") == [package + "/inner", package + "/inner/a"])
        let shown = await daemon.gather("show", package + "/inner/a", "--attributes", "inPackage,size")
        #expect(shown.lines == ["inPackage = 1", "size      = 5"], "\(shown.errors)")

        try await daemon.untilSaved()
        await daemon.kill()
        try Change.write("1234567", to: package + "/inner/a")
        try await daemon.restart()
        try await told(["~ \(package)"])
        #expect(await found("size == 7") == [package])

        try Change.rename(package, shop + "/list")
        try await told(["- \(package)", "+ \(shop)/list/inner/a"])
        watch.kill(SIGINT)
        #expect(await watch.result().status == 130)
    }
}
