// A child is found by its name, in whatever order names are asked for: a guess at the neighbouring row must not show.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import TestSupport
import Testing

@testable import MetadataIndex

struct ChildLookUpTests {
    /// Few names in few directories, so that what goes and comes again, or moves, often stands where a neighbour was.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func `Each name leads to its row, in the order of rows and in any other`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let index = MetadataIndex(root: .sample(.directory, inode: 2))
        let directories = try (0..<4).map { try index.insert("d\($0)", below: .root, .sample(.directory)) }
        var model: [Row: [String: Row]] = [:]
        func names(_ directory: Row) -> [String: Row] { model[directory, default: [:]] }

        for _ in 0..<300 {
            for _ in 0..<20 {
                let directory = directories.randomElement(using: &random)!
                let name = "f\(Int.random(in: 0..<60, using: &random))"
                let other = directories.randomElement(using: &random)!
                let otherName = "f\(Int.random(in: 0..<60, using: &random))"
                guard let row = names(directory)[name] else {
                    model[directory, default: [:]][name] = try index.insert(name, below: directory, .sample(.file))
                    continue
                }
                if Bool.random(using: &random) {
                    try index.remove(row)
                    model[directory]![name] = nil
                } else if names(other)[otherName] == nil {
                    try index.move(row, to: other, otherName)
                    model[directory]![name] = nil
                    model[other, default: [:]][otherName] = row
                }
            }
            var asked = directories.flatMap { directory in (0..<60).map { (directory, "f\($0)") } }
            if Bool.random(using: &random) {
                // As who goes through the tree: row after row, what is not there at the end.
                asked.sort { (names($0.0)[$0.1]?.number ?? .max) < (names($1.0)[$1.1]?.number ?? .max) }
            } else {
                asked.shuffle(using: &random)
            }
            for (directory, name) in asked {
                #expect(index.child(name, of: directory) == names(directory)[name], "seed \(seed)")
            }
        }
    }
}
