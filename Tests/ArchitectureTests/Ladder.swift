// The ladder of CONTRIBUTING.md, "Layers": the rung of each target, and the modules that it may import.
// SPDX-License-Identifier: Apache-2.0

import Testing

/// One target, as its row of the table has it.
struct Rung {
    let target: String
    let height: Int
    /// Targets, packages, and modules of the toolchain.
    let imports: Set<String>
}

/// The table is the only place where the ladder is written. The manifest and the sources are compared with it.
enum Ladder {
    /// Every target may have these: the C library, and the standard library's module for atomics and locks.
    static let everywhere: Set<String> = ["Glibc", "Synchronization"]

    /// The modules that come with Swift and are no dependency of the manifest, but have to be named in a row.
    static let toolchain: Set<String> = ["Foundation", "Dispatch"]

    /// Returns the rungs in the order of the table. A row may have several targets.
    static func rungs() throws -> [Rung] {
        let text = try Repository.text("CONTRIBUTING.md")
        let section = try #require(text.firstMatch(of: /\n## Layers\n(?s:.*?)\n#/)).0
        return section.split(separator: "\n").flatMap { line -> [Rung] in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().map(words)
            guard cells.count >= 4, let height = cells[0].first.flatMap({ Int($0) }) else { return [] }
            return cells[1].map { Rung(target: $0, height: height, imports: Set(cells[3])) }
        }
    }

    /// The parts of a cell between commas, without remarks in parentheses and marks of code.
    private static func words(_ cell: some StringProtocol) -> [String] {
        String(cell).replacing(/\([^)]*\)/, with: "").split(separator: ",")
            .map { $0.filter { $0 != "`" && $0 != " " } }.filter { !$0.isEmpty }
    }
}
