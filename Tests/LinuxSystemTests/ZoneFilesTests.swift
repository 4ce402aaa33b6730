// Names of time zones, as a caller has them.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import LinuxSystem

struct ZoneFilesTests {
    @Test func zoneHasTheNameOfItsFile() throws {
        let scratch = try Scratch()
        try Directory.make(scratch.path + "/zoneinfo", mode: 0o755)
        try Directory.make(scratch.path + "/zoneinfo/Asia", mode: 0o755)
        try scratch.write("zoneinfo/Asia/Tokyo", "")
        try scratch.write("own", "")
        func text(_ own: String?, local: String = "none") -> String? {
            ZoneFiles(directory: scratch.path + "/zoneinfo", local: scratch.path + "/" + local, own: own).text
        }
        try Entry.makeSymlink(scratch.path + "/localtime", to: "zoneinfo/Asia/Tokyo")
        #expect(text(nil, local: "localtime") == "Asia/Tokyo")
        #expect(text(scratch.path + "/localtime", local: "localtime") == "Asia/Tokyo")
        // Without a file, the C library has universal time.
        #expect(text(nil) == "UTC")
        #expect(text("") == "UTC")
        // Rules without a name.
        #expect(text(nil, local: "own") == nil)
        #expect(text(scratch.path + "/own", local: "own") == nil)
        #expect(text(scratch.path + "/own") == scratch.path + "/own")
        #expect(text("Europe/Berlin", local: "localtime") == "Europe/Berlin")
        #expect(text("EST5EDT,M3.2.0,M11.1.0") == "EST5EDT,M3.2.0,M11.1.0")
        // The database of another system.
        try Directory.make(scratch.path + "/share", mode: 0o755)
        try Directory.make(scratch.path + "/share/zoneinfo", mode: 0o755)
        try scratch.write("share/zoneinfo/GMT", "")
        try Entry.makeSymlink(scratch.path + "/there", to: "share/zoneinfo/GMT")
        #expect(text(nil, local: "there") == "GMT")
    }

    @Test func namesStayInTheDatabase() {
        let files = ZoneFiles(directory: "/z")
        for name in ["Europe/Berlin", "Etc/GMT+12", "America/Argentina/ComodRivadavia", "W-SU", "a..b"] {
            #expect(files.path(of: name) == "/z/" + name)
        }
        let long = String(repeating: "a", count: ZoneFiles.longestText + 1)
        for name in ["", "/", "/etc/passwd", "..", "a/..", "../a", "a//b", "a/", ".", "a b", "a\0", "ä", "$HOME", long]
        {
            #expect(files.path(of: name) == nil, "\(name)")
        }
    }

    @Test func contentsAreThoseOfARegularFile() throws {
        let scratch = try Scratch()
        try scratch.write("zone", "a")
        #expect(ZoneFiles.contents(of: scratch.path + "/zone") == Array("a".utf8))
        #expect(ZoneFiles.contents(of: scratch.path) == nil)
    }
}
