// Holds every target to the ladder: what it imports, what the manifest gives it, and what CONTRIBUTING.md says of it.
// SPDX-License-Identifier: Apache-2.0

import Testing

struct LadderTests {
    @Test func `The ladder itself leads downwards`() throws {
        for rung in Ladder.rungs {
            for lower in rung.imports.compactMap(Ladder.rung(of:)) {
                #expect(lower.height < rung.height, "\(rung.target) names \(lower.target)")
            }
        }
    }

    @Test func `The manifest has the targets of the ladder and gives them nothing above their rung`() throws {
        let targets = try Repository.declaredTargets().filter { !$0.isTest }
        #expect(Set(targets.map(\.name)) == Set(Ladder.rungs.map(\.target)))
        for target in targets {
            let allowed = try #require(Ladder.rung(of: target.name)).imports
            let excess = target.dependencies.subtracting(allowed)
            #expect(
                excess.isEmpty, "Package.swift gives \(target.name) \(excess.sorted()), which its row does not name")
        }
    }

    @Test func `Every file imports only what its target's row and the manifest name`() throws {
        let declared = try Repository.declaredTargets()
        let files = try Repository.sources()
        #expect(!files.isEmpty)
        for file in files {
            let rung = try #require(Ladder.rung(of: file.target), "\(file.path): no such target")
            let target = try #require(declared.first { $0.name == file.target })
            let given = target.dependencies.union(Ladder.toolchain)
            for (line, module) in file.imports where !Ladder.everywhere.contains(module) {
                #expect(rung.imports.contains(module), "\(file.path):\(line): \(file.target) may not import \(module)")
                #expect(given.contains(module), "\(file.path):\(line): Package.swift does not give \(module)")
            }
        }
    }

    @Test func `CONTRIBUTING.md has a row for every target, on its rung`() throws {
        var heights: [String: Int] = [:]
        for line in try Repository.text("CONTRIBUTING.md").split(separator: "\n") {
            let cells = line.split(separator: "|").map { $0.trimmingPrefix(while: \.isWhitespace) }
            guard cells.count >= 2, let height = Int(cells[0].filter { !$0.isWhitespace }) else { continue }
            for name in cells[1].matches(of: /`([\w-]+)`/) { heights[String(name.1)] = height }
        }
        #expect(heights == Dictionary(uniqueKeysWithValues: Ladder.rungs.map { ($0.target, $0.height) }))
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
