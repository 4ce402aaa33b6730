// Globs of ignored names.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import FileWatching

@Suite struct IgnoredNamesTests {
    /// What follows a name in memory is none of its business.
    @Test(arguments: [("a.tmp", true), ("a.tm", false), (".git", true), (".gitx", false), ("b", false)])
    func matchesTheNameAlone(name: String, isIgnored: Bool) {
        let ignored = IgnoredNames(["*.tmp", ".git"])
        for suffix in ["", "x", "p", "\0"] {
            Array((name + suffix).utf8).withUnsafeBytes {
                let bytes = UnsafeRawBufferPointer(rebasing: $0[..<name.utf8.count])
                #expect(ignored.contains(bytes) == isIgnored, "\(name) before \(suffix.utf8)")
            }
        }
    }
}
