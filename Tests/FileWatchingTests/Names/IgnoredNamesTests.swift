// Globs of ignored names.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import Testing

@testable import FileWatching

@Suite struct IgnoredNamesTests {
    /// The bytes that follow a name in memory are none of its business.
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

    /// At a start on saved state, a comparison holds the names that events tell of directories whose listing is not taken yet.
    @Test(arguments: 0..<12) func noneComesByAComparison(iterations: Int) {
        let first = PlayedFixture()
        for name in ["/c", "/c/d"] { first.kernel.create(name, .directory) }
        first.kernel.create("/c/d/a")
        first.watcher.addContainer(1, path: "/c", ignoring: ["*.tmp"])
        first.rest()
        first.watcher.close()
        let second = PlayedFixture(kernel: first.kernel, tree: first.tree)
        second.watcher.jobs.perIteration = 1
        second.watcher.addContainer(1, path: "/c", ignoring: ["*.tmp"], isKnown: true)
        for _ in 0..<iterations { _ = second.watcher.iterate() }
        for name in ["/c/d/b.tmp", "/c/b.tmp", "/c/d/b"] { second.kernel.create(name) }
        second.rest()
        let paths = ["d/a", "d/b", "d/b.tmp", "b.tmp"]
        #expect(paths.map { second.tree.node(at: $0) != nil } == [true, true, false, false])
    }
}
