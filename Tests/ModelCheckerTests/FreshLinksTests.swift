// Files that had several names, until it is quiet again.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import IdentityModel
import Testing

@Suite struct FreshLinksTests {
    @Test func `Files that had several names are known until it is quiet again`() throws {
        let top = try #require(Files.makeTemporaryDirectory("links"))
        defer { Files.removeTree(top) }
        let (one, two, other) = (top.entry(Bytes("a")), top.entry(Bytes("b")), top.entry(Bytes("c")))
        #expect(Files.create(1, at: one) && Files.makeLink(one, two) && Files.create(1, at: other))
        let (several, single) = (UInt64(Files.status(one)?.st_ino ?? 0), UInt64(Files.status(other)?.st_ino ?? 0))
        let links = FreshLinks()
        links.made(several)
        links.settle(Entry.walk("box", top))
        #expect(links.hadSeveral(several) && !links.hadSeveral(single) && !links.contains(several))
        #expect(Files.remove(two))
        #expect(links.hadSeveral(several), "one of them is gone, but nobody may have heard of it")
        links.settle(Entry.walk("box", top))
        #expect(!links.hadSeveral(several))
    }
}
