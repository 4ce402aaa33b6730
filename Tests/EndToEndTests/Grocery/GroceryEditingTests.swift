// Editing a grocery list on the real daemon, by one command and by several at once.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import Glibc
import TestSupport
import Testing

struct GroceryEditingTests {
    @Test func `Names are compared without case and normal form`() async throws {
        let world = try await EditingWorld()
        for (one, other) in [
            ("Cafe\u{301}", "CAF\u{C9}"), ("ΟΔΟΣ", "οδος"), ("Groß", "GROẞ"), ("Straße", "STRASSE"),
        ] {
            _ = await world.run("add", one)
            let bought = await world.run("buy", other)
            #expect(bought.status == 0, "\(one): \(bought)")
            let twin = await world.run("add", other)
            #expect(twin.status == 0 && (twin.text + twin.errors).contains("on the list"), "\(one): \(twin)")
        }
        #expect(await world.list("--group", "none").count == 4)
    }

    @Test func `A quantity and tags are read from the text`() async throws {
        let world = try await EditingWorld()
        _ = await world.run("add", "2 kg flour #market #baking", "Milk", "--note", "the red one")
        _ = await world.run("add", "--plain", "7 Up #1")
        #expect(await world.list("--group", "none") == ["7 Up #1", "flour, 2 kg  [market, baking]", "Milk"])
        #expect(
            try String(contentsOfFile: world.file("flour"), encoding: .utf8)
                == "flour\nquantity: 2 kg\ntags: market, baking\n\nthe red one\n")
        #expect(await world.run("tags").lines == ["1  baking", "1  market"])
        let twin = await world.run("add", "milk")
        #expect(twin.status == 0 && twin.errors.contains("Milk is on the list already"), "\(twin.errors)")
    }

    @Test func `A file that another program wrote is shown, and gets its attributes`() async throws {
        let world = try await EditingWorld()
        _ = await world.run("add", "Milk")
        let file = try world.file("Milk")
        // In place, so that the attributes are those of the former text.
        let text = "Cream\ntags: market\n"
        let handle = try #require(FileHandle(forWritingAtPath: file))
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: Data(text.utf8))
        try handle.close()
        let other = world.documents + "/Item_00000000-0000-4000-8000-000000000001"
        try Change.write("Äpfel\r\nquantity: 1 kg\r\n", to: other)
        #expect(await world.list() == ["Cream  [market]", "Äpfel, 1 kg"])
        let found = try await world.daemon.client.find(
            "tags == 'market' OR xattr['gather.grocery'] BEGINSWITH 'Äpfel'", attributes: [.name])
        #expect(found.items.count == 2)
        // A file that is no text is shown, and not touched.
        try Data([0x4D, 0xFF]).write(to: URL(filePath: other))
        #expect(await world.list() == ["(unreadable) 00000000", "Cream  [market]"].sorted { _, b in b.hasPrefix("(") })
        #expect(await world.run("rename", "0000", "x").status == 1)
        #expect(try Data(contentsOf: URL(filePath: other)) == Data([0x4D, 0xFF]))
    }

    @Test func `Tags of an older version are taken from the attribute`() async throws {
        let world = try await EditingWorld()
        mkdir(world.documents, 0o755)
        let file = world.documents + "/Item_00000000-0000-4000-8000-00000000000A"
        try Change.write("Milk\n", to: file)
        try Change.tag(file, "a,b")
        #expect(await world.list() == ["Milk  [a, b]"])
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "Milk\ntags: a, b\n")
        #expect(await world.run("untag", "milk").status == 0)
        #expect(await world.list() == ["Milk"])
    }

    @Test func `An editor's text is merged with the changes of others`() async throws {
        let world = try await EditingWorld()
        _ = await world.run("add", "Milk")
        let file = try world.file("Milk")
        let script = world.daemon.directory + "/editor"
        // While the editor is open, another program changes another field, and then the same one.
        try Change.write(
            "#!/bin/sh\nprintf 'Milk\\ntags: a\\n' > '\(file)'\nsed -i 's/Milk/Oat milk/' \"$1\"\n", to: script)
        try Change.chmod(script, 0o755)
        let merged = await world.run("edit", "milk", editor: script)
        #expect(merged.text == "Oat milk is saved, with the changes of others\n", "\(merged.errors)")
        #expect(await world.list() == ["Oat milk  [a]"])
        try Change.write("#!/bin/sh\nprintf 'Soy milk\\n' > '\(file)'\nsed -i 's/Oat/Rice/' \"$1\"\n", to: script)
        let conflict = await world.run("edit", "oat", editor: script)
        #expect(conflict.errors.contains("others changed it, too"), "\(conflict.errors)")
        #expect(await world.run("conflicts").lines.count == 1)
        let texts = try world.files().values.map { $0.split(separator: "\n")[0] }
        #expect(Set(texts) == ["Rice milk", "Soy milk"])
        // A text that cannot be saved stays where the user finds it.
        try Change.write("#!/bin/sh\nprintf '\\n' > \"$1\"\nprintf '\\377' >> \"$1\"\n", to: script)
        let refused = await world.run("edit", "rice", editor: script)
        let kept = try #require(refused.errors.firstMatch(of: /Your text is in (.*)\n/)?.1)
        #expect(refused.status == 1 && access(String(kept), F_OK) == 0, "\(refused.errors)")
        unlink(String(kept))
    }

    @Test(arguments: [
        (#"sed -i '1s/.*/Quantity: 3/'"#, "the first line is the name of the item, and this one is its quantity"),
        (#"sed -i '1s/.*/\xe2\x80\x8b/'"#, "the first line is the name of the item, and it is empty"),
        (
            #"sed -i s/quantity:/quantiy:/"#,
            "line 2, 'quantiy: 2 kg', is no field that items have, and the quantity is gone"
        ),
        (#"sed -i s/tags:/tag:/"#, "line 3, 'tag: market', is no field that items have, and the tags is gone"),
        ("truncate -s 0", "the text is empty"), (#"printf '\n\n' >"#, "the text is empty"),
        (#"sed -i '1s/.*//'"#, "the first line is the name of the item, and it is empty"),
        (#"sed -i '1s/.*/  /'"#, "the first line is the name of the item, and it is empty"),
        (#"sed -i 1d"#, "the first line is the name of the item, and this one is its quantity"),
        (#"sed -i s/quantity:/Quantity:/"#, "line 2, 'Quantity: 2 kg', is no field such as 'quantity: 2 kg'"),
        (#"sed -i 's/quantity: /quantity:\t/'"#, "line 2, 'quantity:"),
        (#"sed -i 's/: /:/'"#, "line 2, 'quantity:2 kg'"),
        (#"sed -i 's/^tags/ tags/'"#, "line 3, ' tags: market', is no field"),
        (#"sed -i 's/^tags: .*/bought: maybe/'"#, "line 3, 'bought: maybe', is neither yes nor no"),
        (#"sed -i 's/^tags: .*/quantity: 3 kg/'"#, "line 3, 'quantity: 3 kg', is a second quantity"),
        (#"sed -i 's/^tags: .*/picture:/'"#, "line 3, 'picture:', has no value"), ("rm", "cannot read"),
    ])
    func anEditThatCannotBeReadChangesNothing(editor: String, reason: String) async throws {
        let world = try await EditingWorld()
        _ = await world.run("add", "2 kg flour #market", "--note", "the red one")
        let files = try world.files()
        let refused = await world.run("edit", "flour", editor: editor)
        #expect(refused.status == 1 && refused.text == "")
        #expect(refused.errors.contains("nothing is saved, since \(reason)"), "\(refused.errors)")
        // The place of the text is told, if there is a text.
        let kept = refused.errors.firstMatch(of: /Your text is in (.*)\n/)?.1
        #expect((kept == nil) == (editor == "rm"), "\(refused.errors)")
        if let kept {
            #expect(access(String(kept), F_OK) == 0)
            unlink(String(kept))
        }
        #expect(try world.files() == files)
        // Other texts are as good as before, and the text of another program is no slip of this user.
        let odd = "flour\nquantity: 2 kg\nquantity: 3\nbought: maybe\n\nhi\n"
        let file = try world.file("flour")
        try Change.write(odd, to: file)
        #expect(await world.run("edit", "flour", editor: "true").text == "flour is unchanged\n")
        #expect(await world.run("edit", "flour", editor: "sed -i s/hi/ho/").status == 0)
        #expect(try world.files().values.sorted() == [odd.replacing("hi", with: "ho")])
        try Change.write("flour\nquantity: 2 kg\ntags: market\n\nthe red one\n", to: file)
        #expect(await world.run("edit", "flour", editor: "sed -i '$a shelf: 4'").status == 0)
        #expect(try world.files().values.sorted() == ["flour\nquantity: 2 kg\ntags: market\n\nthe red one\nshelf: 4\n"])
    }

    @Test func anItemThatIsRemovedDuringAnEditIsAQuestion() async throws {
        let world = try await EditingWorld()
        _ = await world.run("add", "Milk")
        let id = String(try world.file("Milk").suffix(36))
        let picture = world.daemon.directory + "/picture.png"
        try Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]).write(to: URL(filePath: picture))
        #expect(await world.run("image", "milk", picture).status == 0)
        let before = try world.files()
        // Another person removes it while the editor is open.
        let script = world.daemon.directory + "/editor"
        let grocery = "'\(Product.grocery.path)' remove \(id) --socket '\(world.daemon.socket.path)' --container box"
        try Change.write(
            "#!/bin/sh\nXDG_STATE_HOME=/nowhere \(grocery)\nsed -i 's/Milk/Oat milk/' \"$1\"\n", to: script)
        try Change.chmod(script, 0o755)
        let refused = await world.run("edit", "milk", editor: script)
        #expect(refused.status == 1 && refused.errors.contains("Milk was removed meanwhile"), "\(refused.errors)")
        let kept = try #require(refused.errors.firstMatch(of: /our text is in (.*)\n/)?.1)
        #expect(try String(contentsOfFile: String(kept), encoding: .utf8).hasPrefix("Oat milk\n"))
        unlink(String(kept))
        #expect(try world.files() == [:])

        _ = await world.run("undo")
        _ = await world.run("add", "Milk")
        // On a terminal the person is asked, and the item comes back with its picture.
        let second = String(try world.file("Milk").suffix(36))
        #expect(await world.run("image", "milk", picture).status == 0)
        try Change.write(
            "#!/bin/sh\nXDG_STATE_HOME=/nowhere \(grocery.replacing(id, with: second))\nsed -i 's/Milk/Oat milk/' \"$1\"\n",
            to: script)
        let terminal = PseudoTerminal(
            path: Product.grocery.path, ["edit", "milk", "--socket", world.daemon.socket.path, "--container", "box"],
            environment: ["XDG_STATE_HOME": world.daemon.directory + "/home", "VISUAL": script], width: 200)
        await terminal.until("Milk was removed meanwhile. Bring it back with your changes? [Y/n]")
        terminal.type("\r")
        #expect(await terminal.status() == 0, "\(terminal.screen.text)")
        let after = try world.files()
        #expect(after.count == before.count && after.values.contains { $0.hasPrefix("Oat milk\npicture: ") })
    }

    @Test func `Settings follow their user`() async throws {
        let world = try await EditingWorld()
        _ = await world.run("add", "A #z", "B #a")
        #expect(await world.list() == ["B  [a]", "A  [z]"])
        #expect(await world.run("settings", "--group", "none").lines.last == "group  none")
        #expect(await world.list() == ["A  [z]", "B  [a]"])
        _ = await world.run("settings", "--use", "Party")
        #expect(await world.list() == [])
        _ = await world.run("add", "Wine")
        #expect(await world.list() == ["Wine"])
        #expect(await world.run("settings", "--use", "").lines.first == "list   the documents folder")
        #expect(await world.list("--list", "Party") == ["Wine"])
        #expect(await world.run("list", "--list", "../x").status == 64)
    }

    /// Commands that change different fields of one item at once lose nothing, and leave no conflict. Those that change one field
    /// leave each value somewhere.
    @Test(arguments: TestLength.part(of: 0..<8, oneIn: 4)) func `Commands at once lose no change`(seed: UInt64)
        async throws
    {
        let world = try await EditingWorld()
        _ = await world.run("add", "Milk")
        let id = String(try world.file("Milk").suffix(36))
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<6 {
                group.addTask { _ = await world.run("tag", id, "t\(number)") }
            }
            group.addTask { _ = await world.run("buy", id) }
            group.addTask { _ = await world.run("rename", id, "Oat milk") }
        }
        var files = try world.files()
        #expect(files.count == 1, "seed \(seed): \(files)")
        let text = try #require(files.values.first)
        #expect(text.hasPrefix("Oat milk\n") && text.contains("bought: yes"), "seed \(seed): \(text)")
        for number in 0..<6 { #expect(text.contains("t\(number)"), "seed \(seed): \(text)") }

        var random = SeededGenerator(seed: seed)
        let names = (0..<5).map { _ in "name \(Int.random(in: 0..<1_000_000, using: &random))" }
        await withTaskGroup(of: Void.self) { group in
            for name in names { group.addTask { _ = await world.run("rename", id, name) } }
        }
        files = try world.files()
        // A name that was replaced by a command that had read it is not in conflict. The last one is there.
        #expect(
            files.values.contains { text in names.contains { text.hasPrefix($0 + "\n") } }, "seed \(seed): \(files)")
    }
}
