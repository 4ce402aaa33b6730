// Long names, as NTFS, exFAT and file systems in user space have them, and longer ones than any call takes.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import LinuxSystem
import Metadata
import Testing

@Suite struct LongNameTests {
    private let long = String(repeating: "n", count: 4_094)
    private let longest = String(repeating: "n", count: 4_093)

    private func fixture(_ names: [String] = []) -> PlayedFixture {
        let fixture = PlayedFixture()
        for name in ["/c", "/c/d"] { fixture.kernel.create(name, .directory) }
        for name in ["f"] + names { fixture.kernel.create("/c/d/\(name)") }
        fixture.watcher.addContainer(1, path: "/c")
        fixture.rest()
        return fixture
    }

    /// The tree has everything but the name that is too long, and its directory counts as one that cannot be read in full.
    private func check(
        _ fixture: PlayedFixture, isThere: Bool, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var expected = fixture.kernel.contents(below: "/c")
        #expect(
            (expected.removeValue(forKey: Array("d/\(long)".utf8)) != nil) == isThere, sourceLocation: sourceLocation)
        #expect(fixture.tree.contents(of: 1) == expected, sourceLocation: sourceLocation)
        #expect(fixture.watcher.figures(of: 1).unreadable == (isThere ? 1 : 0), sourceLocation: sourceLocation)
    }

    @Test func `One that is read is left out, and its directory says so`() {
        let fixture = fixture([long, longest])
        check(fixture, isThere: true)
        fixture.kernel.write("/c/d/f", size: 1)
        fixture.kernel.write("/c/d/\(long)", size: 1)
        fixture.rest()
        check(fixture, isThere: true)
        fixture.kernel.remove("/c/d/\(long)")
        fixture.rest()
        check(fixture, isThere: false)
    }

    @Test func `One that comes, moves and goes changes its directory`() {
        let fixture = fixture()
        fixture.kernel.create("/c/d/\(long)")
        fixture.rest()
        fixture.kernel.move("/c/d/\(long)", "/c/d/short")
        fixture.rest()
        check(fixture, isThere: false)
        fixture.kernel.move("/c/d/short", "/c/d/\(longest)")
        fixture.rest()
        check(fixture, isThere: false)
        fixture.kernel.move("/c/d/\(longest)", "/c/d/\(long)")
        fixture.wait(seconds: 1)
        #expect(fixture.tree.node(at: "d/\(longest)") == nil)
        fixture.kernel.move("/c/d/f", "/c/d/g")
        fixture.rest()
        fixture.kernel.remove("/c/d/\(long)")
        fixture.rest()
        check(fixture, isThere: false)
    }

    @Test(arguments: [256, 765, 1_024]) func `One of another file system is an entry like others`(length: Int) {
        let name = String(repeating: "n", count: length)
        let fixture = fixture([name])
        check(fixture, isThere: false)
        fixture.kernel.write("/c/d/\(name)", size: 1)
        fixture.kernel.move("/c/d/\(name)", "/c/d/m\(name)")
        fixture.kernel.create("/c/d/\(name)")
        fixture.rest()
        check(fixture, isThere: false)
        fixture.kernel.remove("/c/d/m\(name)")
        fixture.rest()
        check(fixture, isThere: false)
    }
}
