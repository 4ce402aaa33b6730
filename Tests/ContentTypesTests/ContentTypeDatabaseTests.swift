// Types by name, held against the rules followed one by one, and inheritance.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import ContentTypes

private func database(
    _ globs: String, subclasses: String = "", aliases: String = ""
) -> ContentTypeDatabase {
    ContentTypeDatabase([
        .init(globs: Array(globs.utf8), subclasses: Array(subclasses.utf8), aliases: Array(aliases.utf8))
    ])
}

extension ContentTypeDatabase {
    fileprivate func type(of name: String) -> String? {
        Array(name.utf8).withUnsafeBytes { type(ofName: $0) }.map(text(of:))
    }
}

@Suite struct ContentTypeDatabaseTests {
    static let globs = """
        # a comment
        80:text/html:*.html
        60:application/x-sharedlib:*.so.[0-9]*
        50:application/gzip:*.gz
        50:application/x-compressed-tar:*.tar.gz
        50:image/jpeg:*.jpg
        50:text/x-c++src:*.C:cs
        50:text/x-c++src:*.c
        50:text/x-csrc:*.c:cs
        50:text/x-csrc:*.c
        50:text/x-makefile:makefile
        50:application/x-trash:*~
        50:text/x-first:*.two
        50:text/x-second:*.two
        50:application/x-core:core:cs
        10:text/x-readme:readme*
        """

    @Test(arguments: [
        ("index.html", "text/html"), ("INDEX.HTML", "text/html"), ("a.tar.gz", "application/x-compressed-tar"),
        ("a.b.gz", "application/gzip"), ("main.C", "text/x-c++src"), ("main.c", "text/x-csrc"),
        ("Makefile", "text/x-makefile"), ("libc.so.6", "application/x-sharedlib"), ("x~", "application/x-trash"),
        ("README", "text/x-readme"), ("readme.html", "text/html"), ("a.two", "text/x-first"),
        ("IMAGE.JPG", "image/jpeg"), (".html", "text/html"), ("core", "application/x-core"),
    ])
    func aNameHasItsType(name: String, type: String) {
        #expect(database(Self.globs).type(of: name) == type)
    }

    @Test(arguments: ["plain", "Core", "x.", ".", "html", "jpg", "a.jpgx", "\u{1F600}"])
    func aNameWithoutAGlobHasNone(name: String) {
        #expect(database(Self.globs).type(of: name) == nil)
    }

    /// Every glob of the machine's database with something in place of its wildcards, in several spellings.
    @Test(.enabled(if: access("/usr/share/mime/globs2", R_OK) == 0)) func agreesWithEveryGlobHeldOneByOne() throws {
        let text = try #require(Self.contents("/usr/share/mime/globs2"))
        let (database, naive) = (database(text), NaiveTypes(text))
        #expect(naive.lines.count > 500)
        var compared = 0
        for line in naive.lines {
            let plain = line.glob.replacing("[0-9]", with: "7").replacing("[1-9]", with: "3")
            for filling in ["", "a.tar"] {
                let name = plain.replacing("*", with: filling)
                for spelling in [name, name.uppercased(), name + ".gz"] {
                    compared += 1
                    #expect(database.type(of: spelling) == naive.type(of: spelling), "\(spelling)")
                }
            }
        }
        #expect(compared > 5_000)
    }

    @Test func aDatabaseThatOverridesRemovesGlobs() {
        let above = ContentTypeDatabase.Source(
            globs: Array("50:text/html:__NOGLOBS__\n50:text/html:*.page\n50:text/x-own:*.jpg".utf8), subclasses: [],
            aliases: [])
        let below = ContentTypeDatabase.Source(globs: Array(Self.globs.utf8), subclasses: [], aliases: [])
        let database = ContentTypeDatabase([above, below])
        #expect(database.type(of: "a.html") == nil)
        #expect(database.type(of: "a.page") == "text/html")
        #expect(database.type(of: "a.jpg") == "text/x-own")
        #expect(database.type(of: "a.gz") == "application/gzip")
    }

    @Test func damagedLinesAreLeftOut() {
        let database = database("50\n:::\n500:a/b:*.x\n50:a/b:\n50::*.x\n\r\n50:good/one:*.good\r\n50:text/x:[\n")
        #expect(database.type(of: "a.x") == nil)
        #expect(database.type(of: "a.good") == "good/one")
        #expect(database.type(of: String(repeating: "A.", count: 127)) == nil)
        #expect(ContentTypeDatabase().isEmpty)
        #expect(ContentTypeDatabase().type(of: "a.html") == nil)
    }

    @Test func entriesThatAreNoFilesHaveTheirTypes() {
        for database in [database(Self.globs), ContentTypeDatabase()] {
            for entry in EntryType.allCases { #expect(database.text(of: database.type(of: entry)) == entry.rawValue) }
        }
    }

    // MARK: Inheritance

    private static let inheriting = database(
        "", subclasses: "image/svg+xml application/xml\napplication/xml text/plain\na/loop b/loop\nb/loop a/loop\n",
        aliases: "text/xml application/xml\nimage/jpg image/jpeg\n")

    @Test(arguments: [
        ("image/svg+xml", "text/plain"), ("image/svg+xml", "text/xml"), ("image/svg+xml", "application/octet-stream"),
        ("image/jpg", "image/jpeg"), ("image/jpeg", "IMAGE/*"), ("image/png", "public.image"),
        ("text/x-any", "text/plain"),
        ("public.jpeg", "image/*"), ("com.adobe.pdf", "public.data"), ("public.jpeg", "public.jpeg"),
        ("inode/directory", "public.folder"), ("a/loop", "b/loop"), ("text/x-any", "public.text"), ("x", "x"),
    ])
    func aTypeIsAKindOf(type: String, other: String) {
        #expect(Self.inheriting.type(type, conformsTo: other))
    }

    @Test(arguments: [
        ("text/plain", "image/svg+xml"), ("inode/directory", "application/octet-stream"),
        ("public.image", "public.jpeg"),
        ("image/jpeg", "audio/*"), ("", "image/*"), ("image/jpeg", ""), ("a/loop", "text/plain"), ("image/png", "/*"),
    ])
    func aTypeIsNoKindOf(type: String, other: String) {
        #expect(!Self.inheriting.type(type, conformsTo: other))
    }

    @Test func equalTypesHaveOneMeaning() {
        #expect(Self.inheriting.type("image/jpg", equals: "public.jpeg"))
        #expect(!Self.inheriting.type("image/png", equals: "public.image"))
    }

    @Test func aTreeNamesTheTypeFirst() {
        #expect(
            Self.inheriting.tree(of: "image/svg+xml") == [
                "image/svg+xml", "application/xml", "application/octet-stream", "text/plain",
            ])
    }

    private static func contents(_ path: String) -> String? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&buffer, 1, buffer.count, file)
            if count == 0 { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(contentsOf: buffer[..<count])
        }
    }
}
