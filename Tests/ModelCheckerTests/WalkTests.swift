// A walk of a tree, and the text of its entries.
// SPDX-License-Identifier: Apache-2.0

import IdentityModel
import Testing

@Suite struct WalkTests {
    @Test func `A walk tells what is there`() throws {
        let top = try #require(Files.makeTemporaryDirectory("walk"))
        defer { Files.removeTree(top) }
        #expect(Files.makeDirectory(top.entry(Bytes("d"))))
        let odd: Bytes = [0xFF, 0x0A]
        #expect(Files.create(5, at: top.entry(Bytes("d")).entry(odd)))
        #expect(Files.setAttribute("user.xdg.tags", of: top.entry(Bytes("d")).entry(odd), to: Bytes("red,blue")))
        #expect(Files.setModified(top.entry(Bytes("d")).entry(odd), seconds: 1_000_000_000, nanoseconds: 7))
        #expect(Files.setAttribute("user.gather.test", of: top.entry(Bytes("d")), to: [0x78, 0xFF]))
        #expect(Files.setAttribute("user.gather.test", of: top.entry(Bytes("d")).entry(odd), to: []))
        #expect(Files.makeSymlink(Bytes("d"), top.entry(Bytes("s"))))
        let entries = Entry.walk("box", top).sorted { $0.path.lexicographicallyPrecedes($1.path) }
        #expect(entries.map(\.kind) == ["directory", "file", "symlink"])
        #expect(entries[1].path == top.entry(Bytes("d")).entry(odd) && entries[1].tags == ["red", "blue"])
        #expect(entries[1].text(["size", "modified"]) == "size=5 modified=2001-09-09T01:46:40.000000007Z")
        #expect(entries[1].depth == 2)
        // The one is no text, the other none at all but there.
        let attributes = ["xattr.gather.test"]
        #expect(entries.map(\.value) == [nil, "", nil])
        #expect(entries[1].text(attributes) != entries[0].text(attributes))
        #expect(entries[1].text(attributes) == Entry.text(attributes, of: ["extended": ["gather.test": ""]]))
        #expect(entries[0].text(attributes) == Entry.text(attributes, of: [:]))
    }
}
