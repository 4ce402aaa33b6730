// Names that are not read.
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Globs of names that a container ignores (fnmatch(3), on the name alone).
package struct IgnoredNames: Sendable {
    /// Globs without a special character, which are compared as they are.
    private let literals: [[UInt8]]
    /// The others, each ended by a NUL.
    private let patterns: [[CChar]]

    package init(_ globs: [String]) {
        let isPattern = { (glob: String) in glob.utf8.contains { "*?[\\".utf8.contains($0) } }
        literals = globs.filter { !isPattern($0) }.map { Array($0.utf8) }
        patterns = globs.filter(isPattern).map { $0.utf8.map(CChar.init(bitPattern:)) + [0] }
    }

    var isEmpty: Bool { literals.isEmpty && patterns.isEmpty }

    /// Whether a name is ignored.
    package func contains(_ name: UnsafeRawBufferPointer) -> Bool {
        for literal in literals
        where literal.count == name.count && name.elementsEqual(literal) {
            return true
        }
        guard !patterns.isEmpty else { return false }
        // fnmatch wants a NUL behind the name.
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: name.count + 1) { text in
            UnsafeMutableRawBufferPointer(text).copyMemory(from: name)
            text[name.count] = 0
            guard let base = text.baseAddress else { return false }
            return patterns.contains { fnmatch($0, base, 0) == 0 }
        }
    }
}
