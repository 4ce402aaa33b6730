// Extended attributes and the targets of links, on a real tree, beside what another program reads of them.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Glibc
import LinuxSystem
import Metadata
import TestSupport
import Testing

@Suite struct ExtraAttributesTests {
    let directory = TemporaryDirectory()

    typealias Attributes = [String: [UInt8]]

    /// A fixture that has read everything.
    func filled() throws -> WatcherFixture {
        let fixture = try WatcherFixture()
        fixture.watcher.addContainer(1, path: directory.path)
        fixture.settle("first crawl")
        fill(fixture)
        return fixture
    }

    func fill(_ fixture: WatcherFixture) {
        var isFilled = false
        fixture.watcher.setReadsXattrs(1) { isFilled = true }
        fixture.iterate(until: { isFilled }, "filling")
    }

    /// The extended attributes that Python reads of each entry below the directory, a link's target under the empty name.
    func oracle() throws -> [String: Attributes] {
        let script = """
            import os, sys
            top = sys.argv[1].encode()
            for way, directories, files in os.walk(top):
                for name in directories + files:
                    path = os.path.join(way, name)
                    words = [path[len(top) + 1:]]
                    if os.path.islink(path):
                        words += [b'', os.readlink(path)]
                    else:
                        for key in os.listxattr(path, follow_symlinks=False):
                            if key.startswith('user.'):
                                words += [os.fsencode(key[5:]), os.getxattr(path, key, follow_symlinks=False)]
                    print(' '.join('-' + word.hex() for word in words))
            """
        let pipe = try #require(popen("python3 - '\(directory.path)' <<'END'\n\(script)\nEND", "r"))
        var text: [UInt8] = []
        var byte = fgetc(pipe)
        while byte >= 0 {
            text.append(UInt8(truncatingIfNeeded: byte))
            byte = fgetc(pipe)
        }
        #expect(pclose(pipe) == 0)
        var entries: [String: Attributes] = [:]
        for line in text.split(separator: UInt8(ascii: "\n")) {
            let words = line.split(separator: UInt8(ascii: " ")).map { ExtraAttributesTests.bytes(hex: $0.dropFirst()) }
            var attributes: Attributes = [:]
            for place in stride(from: 1, to: words.count, by: 2) {
                attributes[String(decoding: words[place], as: UTF8.self)] = words[place + 1]
            }
            entries[String(decoding: words[0], as: UTF8.self)] = attributes
        }
        return entries
    }

    private static func bytes(hex: ArraySlice<UInt8>) -> [UInt8] {
        stride(from: hex.startIndex, to: hex.endIndex, by: 2).compactMap {
            UInt8(String(decoding: hex[$0...($0 + 1)], as: UTF8.self), radix: 16)
        }
    }

    /// The extended attributes that the tree was told of an entry; nil if it was told none.
    func reported(_ fixture: WatcherFixture, _ path: String) throws -> Attributes? {
        let node = try #require(fixture.tree.node(at: path), "\(path)")
        guard let bytes = fixture.tree.entry(node).xattrs else { return nil }
        let xattrs = try #require(bytes.withUnsafeBytes { ExtraAttributes($0) })
        var attributes: Attributes = [:]
        if xattrs.isTarget { attributes[""] = xattrs.withValue(named: []) { $0.map { Array($0) } } }
        for name in xattrs.names {
            attributes[name.text] = xattrs.withValue(named: Array(name.text.utf8)) { $0.map { Array($0) } }
        }
        return attributes
    }

    /// Whether the file system took it.
    static func set(_ attribute: String, of name: String, in directory: CInt, to value: [UInt8]) -> Bool {
        value.withUnsafeBytes { bytes in
            do {
                try ExtendedAttributes.set("user." + attribute, of: name, in: directory, to: bytes)
                return true
            } catch {
                return false
            }
        }
    }

    func check(_ fixture: WatcherFixture, _ context: String = "") throws {
        fixture.settle(context)
        let expected = try oracle()
        for (path, attributes) in expected {
            #expect(try reported(fixture, path) == attributes, "\(path) \(context)")
        }
    }

    @Test func `Extended attributes are read when they are first asked for, and not before`() throws {
        directory.makeDirectory("d")
        directory.write("d/a")
        directory.write("b")
        directory.symlink("d/a", "link")
        directory.setAttribute("xdg.tags", of: "d/a", to: Array("red,blue".utf8))
        directory.setAttribute("xdg.comment", of: "d", to: Array("a folder".utf8))
        directory.setAttribute("bytes", of: "b", to: [0, 255, 0])
        directory.setAttribute("empty", of: "b", to: [])
        let fixture = try WatcherFixture()
        fixture.watcher.addContainer(1, path: directory.path)
        fixture.settle()
        #expect(try reported(fixture, "d/a") == nil)
        fill(fixture)
        try check(fixture)
        #expect(try reported(fixture, "link") == ["": Array("d/a".utf8)])
        #expect(try reported(fixture, "b") == ["bytes": [0, 255, 0], "empty": []])
    }

    @Test func `Changes are seen as they happen`() throws {
        let fixture = try filled()
        directory.write("a")
        try check(fixture, "created")
        directory.setAttribute("xdg.comment", of: "a", to: Array("new".utf8))
        try check(fixture, "set")
        directory.setAttribute("xdg.comment", of: "a", to: Array("newer".utf8))
        directory.setAttribute("baloo.rating", of: "a", to: Array("8".utf8))
        try check(fixture, "set again")
        directory.removeAttribute("xdg.comment", of: "a")
        try check(fixture, "removed")
        directory.move("a", "b")
        try check(fixture, "renamed")
        // As programs save: the new file has attributes of its own.
        directory.write("b.new")
        directory.setAttribute("xdg.origin.url", of: "b.new", to: Array("https://example.org".utf8))
        directory.move("b.new", "b")
        try check(fixture, "replaced")
        directory.link("b", "hard")
        try check(fixture, "linked")
        directory.setAttribute("x", of: "hard", to: [1])
        try check(fixture, "set by another name")
        directory.symlink("b", "s")
        try check(fixture, "symlink")
        directory.remove("s")
        directory.symlink("elsewhere", "s")
        try check(fixture, "another target")
        directory.makeDirectory("d")
        directory.setAttribute("xdg.tags", of: "d", to: Array("t".utf8))
        directory.move("b", "d/b")
        directory.move("d", "e")
        try check(fixture, "moved with a directory")
    }

    @Test(.enabled(if: MemoryFile.takesMuch, "tmpfs takes extended attributes of users"))
    func `Only as much is kept of a file as there is room for, the known ones first`() throws {
        // tmpfs has no such bound of its own.
        let memory = try MemoryFile("extras")
        func set(_ name: String, _ count: Int) -> Bool { memory.set(name, to: [UInt8](repeating: 65, count: count)) }
        try #require(set("a", 60_000) && set("b", 3_000) && set("c", 3_000) && set("xdg.comment", 1_000))
        let fixture = try WatcherFixture()
        fixture.watcher.addContainer(1, path: memory.directory)
        fixture.settle()
        fill(fixture)
        let names = try reported(fixture, "f").map { $0.keys.sorted() }
        #expect(names == ["b", "xdg.comment"])
    }

    @Test(.enabled(if: MemoryFile.takesMuch, "tmpfs takes extended attributes of users"))
    func `Those that have names of their own are read among however many`() throws {
        // tmpfs takes as many as there is memory for, where it takes any.
        let memory = try MemoryFile("many")
        let fixture = try WatcherFixture()
        fixture.watcher.addContainer(1, path: memory.directory)
        fixture.settle()
        fill(fixture)
        func set(_ name: String, _ value: String) -> Bool { memory.set(name, to: Array(value.utf8)) }
        var names: [String] = []
        // More than are read, then more than the list has room for.
        for count in [400, 1_000] {
            while names.count < count {
                let name = "a\(names.count)" + String(repeating: "x", count: count > 400 ? 80 : 0)
                try #require(set(name, "1"))
                names.append(name)
            }
            #expect(set("xdg.comment", "among \(count)") && set("xdg.tags", "t"))
            fixture.settle()
            let reported = try #require(try reported(fixture, "f"))
            #expect(reported["xdg.comment"] == Array("among \(count)".utf8) && reported["xdg.tags"] == Array("t".utf8))
            #expect(reported.count == (count == 400 ? 258 : 2))
        }
    }

    @Test(arguments: 1...3) func `Whatever happens, they are what another program reads`(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let fixture = try filled()
        let names = ["a", "b", "c", "d1", "d2", "d1/a", "d1/b", "d2/a"]
        let attributes = ["xdg.tags", "xdg.comment", "baloo.rating", "z"]
        directory.makeDirectory("d1")
        directory.makeDirectory("d2")
        let top = try Directory.open(directory.path, access: .path)
        for round in 0..<12 {
            for _ in 0..<8 {
                let (name, other) = (names.randomElement(using: &generator)!, names.randomElement(using: &generator)!)
                let (at, to) = (directory.url(name), directory.url(other))
                // Many of these fail, as they should.
                switch generator.next() % 8 {
                case 0: close(open(at, O_CREAT | O_WRONLY, 0o600))
                case 1, 2:
                    let value = ["", "red", "red,blue", "7", "\u{E9}"].randomElement(using: &generator)!
                    let attribute = attributes.randomElement(using: &generator)!
                    _ = ExtraAttributesTests.set(attribute, of: name, in: top.number, to: Array(value.utf8))
                case 3:
                    let key = "user." + attributes.randomElement(using: &generator)!
                    try? ExtendedAttributes.remove(key, of: name, in: top.number)
                case 4: rename(at, to)
                case 5: link(at, to)
                case 6: symlink(other, at)
                default: unlink(at)
                }
            }
            try check(fixture, "seed \(seed), round \(round)")
        }
    }
}
