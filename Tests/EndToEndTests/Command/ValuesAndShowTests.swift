// gather values, gather show and gather explain --analyze, as a person and a script use them.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import Glibc
import TestSupport
import Testing

@Suite(.serialized)
struct ValuesAndShowTests {
    private func objects(_ result: ChildProcess.Result) throws -> [[String: Any]] {
        try result.lines.map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }

    @Test func `values prints each value and how many have it`() async throws {
        let daemon = try await TestDaemon()
        let box = daemon.box
        try Change.directory(box + "/d")
        for name in ["a.txt", "b.txt", "d/c.jpg", "d/e.txt"] { try Change.write("12", to: box + "/" + name) }

        let all = await daemon.gather("values", "fileExtension")
        #expect(all.status == 0, "\(all.errors)")
        #expect(all.text == "3\ttxt\n1\t\n1\tjpg\n")
        #expect(
            await daemon.gather("values", "fileExtension", "kind == 'file'", "--in", box + "/d").text
                == "1\tjpg\n1\ttxt\n")
        #expect(await daemon.gather("values", "kind", "", "--limit", "1", "--container", "box").text == "4\tfile\n")
        #expect(await daemon.gather("values", "kind", "size == 2", "-0", "--no-sync").output == Array("4\tfile\0".utf8))
        #expect(await daemon.gather("values", "kind", "name == 'nothing'").text == "")

        let json = try objects(await daemon.gather("values", "fileExtension", "--json"))
        #expect(json.map { $0["value"] as? String } == ["txt", nil, "jpg"])
        #expect(json.map { $0["count"] as? Int } == [3, 1, 1])
        #expect(
            try objects(await daemon.gather("values", "size", "kind == 'file'", "--json")).first?["value"] as? Int == 2)
        #expect(try objects(await daemon.gather("values", "hidden", "--json")).first?["value"] as? Bool == false)

        let client = try await daemon.client.values(of: .size, "kind == 'file'")
        #expect(client.values == [AttributeValueCount(value: .integer(2), count: 4)])
        let dates = try await daemon.client.values(of: .modified, "name == 'a.txt'")
        let item = try await daemon.client.find("name == 'a.txt'", attributes: [.modified]).items.first
        #expect(dates.values.map(\.value) == item?.modified.map { [.date($0)] })

        for arguments in [["values"], ["values", "nmae"], ["values", "name", "", "--limit", "0"]] {
            let wrong = await ChildProcess(.gather, arguments + ["--socket", daemon.socket.path]).result()
            #expect(wrong.status == 64, "\(arguments)")
        }
        let caret = await daemon.gather("values", "name", "name LIKE")
        #expect(caret.status == 2)
        #expect(caret.errors.contains("\n  name LIKE\n           ^"), "\(caret.errors)")
        #expect(await run(.gather, "values", "--help").text.contains("EXAMPLES"))
    }

    @Test func `show prints every attribute as mdls lays it out`() async throws {
        let daemon = try await TestDaemon()
        let box = daemon.box
        try Change.directory(box + "/d")
        try Change.write("1234", to: box + "/d/it's \"a\"\\b.txt")
        try Change.symlink("d", box + "/way")
        try Change.symlink("nowhere", box + "/d/link")
        try Change.symlink(box, daemon.directory + "/elsewhere")

        let file = await daemon.gather("show", box + "/way/it's \"a\"\\b.txt")
        #expect(file.status == 0, "\(file.errors)")
        let lines = [
            #"name                   = "it's \"a\"\b.txt""#, #"size                   = 4"#,
            #"kind                   = "file""#,
            #"hidden                 = 0"#, #"tags                   = (null)"#,
        ]
        for line in lines { #expect(file.lines.contains(line), "\(line): \(file.text)") }
        #expect(file.lines.contains { $0.hasPrefix("modified               = 2") && $0.hasSuffix(" +0000") })
        let names = file.lines.filter { $0.contains(" = ") }.map { String($0.prefix { $0 != " " }) }
        #expect(names == Attribute.fixed.map(\.name).sorted())

        let link = await daemon.gather("show", daemon.directory + "/elsewhere/d/link", "--attributes", "kind,depth")
        #expect(link.text == "kind  = \"symlink\"\ndepth = 2\n")
        let several = await daemon.gather("show", box + "/d", box + "/way", "--attributes", "name")
        #expect(several.text == "name = \"d\"\n\nname = \"way\"\n")
        let dots = await daemon.gather("show", box + "/d/", box + "/d/.", "--json", "--attributes", "name,mode")
        #expect(try objects(dots).map { $0["name"] as? String } == ["d", "d"])
        let everything = try #require(try objects(await daemon.gather("show", box + "/d/link", "--json")).first)
        #expect(everything["path"] as? String == box + "/d/link")
        #expect(everything["links"] as? Int == 1)
    }

    @Test func `extended attributes are shown, found and asked for by name`() async throws {
        let daemon = try await TestDaemon()
        let file = daemon.box + "/note.txt"
        try Change.write("1234", to: file)
        try Change.write("", to: daemon.box + "/other")
        try Change.extendedAttribute("user.project", "north pole", of: file)
        try Change.extendedAttribute("user.\u{1B}[2J", "x", of: file)
        try Change.extendedAttribute("user.xdg.comment", "cold", of: file)

        let shown = await daemon.gather("show", file)
        #expect(shown.status == 0, "\(shown.errors)")
        for line in [
            #"comment                = "cold""#, #"xattr.project          = "north pole""#,
            #"xattr.\e[2J            = "x""#,
        ] {
            #expect(shown.lines.contains(line), "\(line): \(shown.text)")
        }
        #expect(!shown.text.contains("xattr.xdg.comment"))
        for arguments in [["--embedded"], ["--embedded", "--in", daemon.box]] {
            let embedded = await ChildProcess(.gather, ["show", file] + arguments).result()
            #expect(
                embedded.lines.contains(#"xattr.project          = "north pole""#), "\(embedded.text)\(embedded.errors)"
            )
        }
        let json = try #require(try objects(await daemon.gather("show", file, "--json")).first)
        #expect((json["extended"] as? [String: String])?["project"] == "north pole")

        let table = await daemon.gather(
            "find", "xattr.project BEGINSWITH 'north'", "--attributes", "name,xattr.project", "--json")
        #expect(table.status == 0, "\(table.errors)")
        let found = try #require(try objects(table).first)
        #expect(found["name"] as? String == "note.txt")
        #expect((found["extended"] as? [String: String])?["project"] == "north pole")
        #expect(await daemon.gather("values", "xattr.project", "kind == 'file'").text == "1\t\n1\tnorth pole\n")
        #expect(await daemon.gather("find", "xattr. == 'x'").status == 2)
    }

    @Test func `show says why there is nothing to show`() async throws {
        let daemon = try await TestDaemon()
        let box = daemon.box
        try Change.write("", to: box + "/here")
        let missing = await daemon.gather("show", box + "/there", box + "/here", "--attributes", "name")
        #expect(missing.status == 1)
        #expect(missing.text == "name = \"here\"\n")
        #expect(missing.errors.contains("\(box)/there: No such file or directory"), "\(missing.errors)")
        let outside = await daemon.gather("show", "/etc/passwd")
        #expect(outside.status == 1)
        #expect(outside.errors.contains("outside all containers"), "\(outside.errors)")
        #expect(outside.errors.contains("gather container add --socket \(daemon.socket.path) NAME /etc"))
        let own = await daemon.gather("show", box)
        #expect(own.status == 1)
        #expect(own.errors.contains("directory of the container 'box'"), "\(own.errors)")

        let more = daemon.directory + "/more"
        try Change.directory(more)
        try Change.write("", to: more + "/x.tmp")
        #expect(await daemon.gather("container", "add", "more", more, "--ignore", "*.tmp").status == 0)
        let ignored = await daemon.gather("show", more + "/x.tmp")
        #expect(ignored.status == 1)
        #expect(ignored.errors.contains("ignored"), "\(ignored.errors)")
    }

    @Test func `show finds what has no UTF-8 name`() async throws {
        let daemon = try await TestDaemon()
        let path: [CChar] = (daemon.box + "/").utf8.map { CChar(bitPattern: $0) } + [CChar(bitPattern: 0xFF), 0]
        close(open(path, O_CREAT | O_WRONLY, 0o644))
        try Change.write("", to: daemon.box + "/other")
        // A shell makes the byte: Foundation's Process takes text only.
        let shell = "\"$0\" show \"$1/$(printf '\\377')\" --attributes name,kind --socket \"$2\""
        let result = await ChildProcess(
            path: "/bin/sh", ["-c", shell, Product.gather.path, daemon.box, daemon.socket.path]
        ).result()
        #expect(result.text == "name = \"\\xff\"\nkind = \"file\"\n", "\(result.errors)")
        #expect(result.status == 0)
    }

    @Test func `explain --analyze tells what each step left`() async throws {
        let daemon = try await TestDaemon()
        try Change.directory(daemon.box + "/d")
        for name in ["a.txt", "b.txt", "d/c.txt"] { try Change.write("", to: daemon.box + "/" + name) }
        let plain = await daemon.gather("explain", "name ENDSWITH '.txt'")
        #expect(!plain.text.contains("left"))
        let table = await daemon.gather("explain", "--analyze", "name ENDSWITH '.txt'")
        #expect(table.status == 0, "\(table.errors)")
        #expect(table.text.hasPrefix(plain.text + "\nleft  "), "\(table.text)")
        #expect(table.lines.contains { $0.contains("   4  0.000  all items") }, "\(table.text)")
        let json = try objects(
            await daemon.gather("explain", "--analyze", "name ENDSWITH '.txt'", "--in", daemon.box + "/d", "--json"))
        let steps = try #require(json.first?["steps"] as? [[String: Any]])
        #expect(steps.first?["rows"] as? Int == 4)
        #expect(steps.last?["rows"] as? Int == 1)
        #expect(await daemon.gather("explain", "", "--in", daemon.box).status == 64)
        let client = try await daemon.client.explain("name ENDSWITH '.txt'", analyze: true)
        #expect(client.steps?.last?.count == 3)
    }
}
