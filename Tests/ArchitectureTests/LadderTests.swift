// Holds every target to the ladder: the imports of its files, and its dependencies in the manifest.
// SPDX-License-Identifier: Apache-2.0

import Testing

struct LadderTests {
    @Test func `The ladder itself leads downwards`() throws {
        let rungs = try Ladder.rungs()
        let heights = Dictionary(rungs.map { ($0.target, $0.height) }) { first, _ in first }
        #expect(heights.count == rungs.count, "a target has two rows")
        for rung in rungs {
            for (lower, height) in rung.imports.compactMap({ name in heights[name].map { (name, $0) } }) {
                #expect(height < rung.height, "\(rung.target) names \(lower)")
            }
        }
    }

    @Test func `The manifest has the targets of the ladder and gives them what their rows name`() throws {
        let targets = try Repository.declaredTargets().filter { !$0.isTest }
        let rungs = try Ladder.rungs()
        #expect(Set(targets.map(\.name)) == Set(rungs.map(\.target)))
        let packages = try Repository.packagesOfProducts()
        for rung in rungs {
            let given = try #require(targets.first { $0.name == rung.target }).dependencies.map { packages[$0] ?? $0 }
            let named = rung.imports.subtracting(Ladder.toolchain)
            let (excess, lack) = (Set(given).subtracting(named), named.subtracting(given))
            #expect(
                excess.isEmpty, "Package.swift gives \(rung.target) \(excess.sorted()), which its row does not name")
            #expect(lack.isEmpty, "Package.swift does not give \(rung.target) \(lack.sorted()), which its row names")
        }
    }

    @Test func `Every file imports only what its target's row and the manifest name`() throws {
        let declared = try Repository.declaredTargets()
        let rungs = try Ladder.rungs()
        let files = try Repository.sources()
        #expect(!files.isEmpty)
        for file in files {
            let rung = try #require(rungs.first { $0.target == file.target }, "\(file.path): no such target")
            let target = try #require(declared.first { $0.name == file.target })
            let given = target.dependencies.union(rung.imports.intersection(Ladder.toolchain))
            for (line, module) in file.imports where !Ladder.everywhere.contains(module) {
                #expect(given.contains(module), "\(file.path):\(line): \(file.target) may not import \(module)")
            }
        }
    }

    @Test(arguments: [
        ("import Glibc", "Glibc"), ("package import Logging", "Logging"), ("  @testable import A", "A"),
        ("@preconcurrency public import B", "B"), ("import struct Foundation.Data", "Foundation"),
        ("@_spi(X) import C", "C"), ("import D; import E", "D"), ("import Darwin.C", "Darwin"),
        ("// import F", nil), ("important()", nil), ("let text = \"import G\"", nil), ("", nil),
    ])
    func `Import lines are understood`(_ line: String, _ module: String?) {
        #expect(SourceFile.module(importedBy: line) == module)
    }
}
