// Every kind of change to a tree, as `gather watch` prints it and as a query of GatherKit is told it.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import Glibc
import TestSupport
import Testing

@Suite(.serialized)
struct ChangeTests {
    private func expect(
        _ follower: inout Follower, _ expected: String, _ location: SourceLocation = #_sourceLocation,
        _ change: () throws -> Void
    ) async throws {
        let (lines, query) = try await follower.effect(of: change)
        #expect(lines.description == expected, "gather watch", sourceLocation: location)
        #expect(query.description == expected, "GatherKit", sourceLocation: location)
    }

    @Test func `Files: create, write, chmod, tag, rename, remove`() async throws {
        let daemon = try await TestDaemon()
        let box = daemon.box
        var follower = try await Follower(daemon)
        defer { follower.stop() }
        try await expect(&follower, "+a") { try Change.write("1", to: box + "/a") }
        try await expect(&follower, "~a") { try Change.write("22", to: box + "/a") }
        try await expect(&follower, "~a") { try Change.chmod(box + "/a", 0o600) }
        try await expect(&follower, "~a") { try Change.tag(box + "/a", "urgent,red") }
        try await expect(&follower, "a>b") { try Change.rename(box + "/a", box + "/b") }
        try await expect(&follower, "-b") { try Change.remove(box + "/b") }
    }

    @Test func `Renames: into, out of, over, exchange`() async throws {
        let daemon = try await TestDaemon()
        let box = daemon.box, outside = daemon.directory + "/outside"
        try Change.write("x", to: outside)
        var follower = try await Follower(daemon)
        defer { follower.stop() }
        try await expect(&follower, "+in") { try Change.rename(outside, box + "/in") }
        try await expect(&follower, "-in") { try Change.rename(box + "/in", outside) }
        try await expect(&follower, "+new +old") {
            try Change.write("old", to: box + "/old")
            try Change.write("new", to: box + "/new")
        }
        // How programs save: the target keeps its identity and has changed, the source is gone.
        try await expect(&follower, "~old -new") { try Change.rename(box + "/new", box + "/old") }
        try await expect(&follower, "~old") { try Change.rename(outside, box + "/old") }

        try await expect(&follower, "+other") { try Change.write("other", to: box + "/other") }
        let (lines, updates) = try await follower.told { try Change.exchange(box + "/old", box + "/other") }
        #expect(Set(lines) == ["~ \(box)/old -> \(box)/other", "~ \(box)/other -> \(box)/old"])
        let moves = updates.flatMap(\.changed).compactMap { item in item.previousPath.map { [$0, item.path ?? ""] } }
        #expect(Set(moves) == [[box + "/old", box + "/other"], [box + "/other", box + "/old"]])
    }

    @Test func `Hard links, symbolic links, fifos, names that are no UTF-8`() async throws {
        let daemon = try await TestDaemon()
        let box = daemon.box
        var follower = try await Follower(daemon)
        defer { follower.stop() }
        try await expect(&follower, "+a") { try Change.write("1", to: box + "/a") }
        // Both names of the file have another link count.
        try await expect(&follower, "+b ~a") { try Change.link(box + "/a", box + "/b") }
        try await expect(&follower, "~a ~b") { try Change.write("22", to: box + "/b") }
        try await expect(&follower, "~a -b") { try Change.remove(box + "/b") }
        try await expect(&follower, "+link") { try Change.symlink("/etc", box + "/link") }
        try await expect(&follower, "+pipe") { try Change.fifo(box + "/pipe") }

        let name: [UInt8] = [0x78, 0xFF, 0x79]
        try await expect(&follower, "+x\u{FFFD}y") { try Change.write("", to: Array((box + "/").utf8) + name) }
        let found = await daemon.gather("find", "name BEGINSWITH 'x'", "-0")
        #expect(found.output == Array((box + "/").utf8) + name + [0])
    }

    @Test func `Directories: mkdir -p and fill, move, rm -r`() async throws {
        let daemon = try await TestDaemon()
        let box = daemon.box, outside = daemon.directory + "/outside"
        var follower = try await Follower(daemon)
        defer { follower.stop() }
        try await expect(&follower, "+d +d/e +d/e/1 +d/e/2 +d/f") {
            try Change.directory(box + "/d")
            try Change.directory(box + "/d/e")
            try Change.write("", to: box + "/d/f")
            try Change.write("", to: box + "/d/e/1")
            try Change.write("", to: box + "/d/e/2")
        }
        // No event names the directory, though its own attributes change.
        try await expect(&follower, "+d/3 ~d") { try Change.write("", to: box + "/d/3") }
        try await expect(&follower, "~d d/3>3") { try Change.rename(box + "/d/3", box + "/3") }
        try await expect(&follower, "d>g d/e>g/e d/e/1>g/e/1 d/e/2>g/e/2 d/f>g/f") {
            try Change.rename(box + "/d", box + "/g")
        }
        // The moved tree is as live as before.
        try await expect(&follower, "~g/e/1") { try Change.write("1", to: box + "/g/e/1") }
        try await expect(&follower, "-g -g/e -g/e/1 -g/e/2 -g/f") { try Change.rename(box + "/g", outside) }
        try await expect(&follower, "+h +h/e +h/e/1 +h/e/2 +h/f") { try Change.rename(outside, box + "/h") }
        try await expect(&follower, "-h -h/e -h/e/1 -h/e/2 -h/f") { try Change.removeTree(box + "/h") }
    }

    @Test func `An item that no longer matches is removed, one that matches again added`() async throws {
        let daemon = try await TestDaemon()
        let box = daemon.box
        try Change.write("", to: box + "/Item_1")
        var follower = try await Follower(daemon, "name LIKE 'Item_*' AND size < 3")
        defer { follower.stop() }
        #expect(follower.firstLines == ["  \(box)/Item_1"])
        try await expect(&follower, "-Item_1") { try Change.rename(box + "/Item_1", box + "/milk") }
        try await expect(&follower, "") { try Change.write("12", to: box + "/milk") }
        try await expect(&follower, "+Item_2") { try Change.rename(box + "/milk", box + "/Item_2") }
        try await expect(&follower, "~Item_2") { try Change.write("1", to: box + "/Item_2") }
        try await expect(&follower, "-Item_2") { try Change.write("12345", to: box + "/Item_2") }
        try await expect(&follower, "") { try Change.remove(box + "/Item_2") }
    }
}
