// Editing, undoing, resolving and converting a grocery list on the real daemon.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import Glibc
import TestSupport
import Testing

struct GroceryEditingTests {
    /// A daemon, and a home directory for the undo log of the user.
    private struct World {
        let daemon: TestDaemon
        let documents: String

        init() async throws {
            daemon = try await TestDaemon()
            documents = daemon.box + "/Documents"
        }

        func run(_ arguments: String..., input: String = "", editor: String = "false") async -> ChildProcess.Result {
            await run(arguments, input: input, editor: editor)
        }

        func run(_ arguments: [String], input: String = "", editor: String = "false") async -> ChildProcess.Result {
            await ChildProcess(
                .grocery, arguments + ["--socket", daemon.socket.path, "--container", "box"],
                environment: ["XDG_STATE_HOME": daemon.directory + "/home", "VISUAL": editor], input: input
            ).result()
        }

        func list(_ arguments: String...) async -> [String] { ListedItem.texts(await run(["list"] + arguments).lines) }

        /// The files with their texts, below the documents folder.
        func files() throws -> [String: String] {
            var files: [String: String] = [:]
            for case let path as String in FileManager.default.enumerator(atPath: documents) ?? .init() {
                var isDirectory: ObjCBool = false
                _ = FileManager.default.fileExists(atPath: documents + "/" + path, isDirectory: &isDirectory)
                if !isDirectory.boolValue {
                    files[path] = String(
                        decoding: try Data(contentsOf: URL(filePath: documents + "/" + path)), as: UTF8.self)
                }
            }
            return files
        }

        /// The path of the only item whose text begins with a name.
        func file(_ name: String) throws -> String {
            let found = try files().filter { $0.value.hasPrefix(name + "\n") && !$0.key.contains(".sync-conflict-") }
            return documents + "/" + (try #require(found.keys.first))
        }
    }

    @Test func `An item whose own file is gone is told, and can be resolved`() async throws {
        let world = try await World()
        _ = await world.run("add", "2 l Milk", "Bread")
        let file = try world.file("Milk")
        let versions = ["20261125-003609-KIHKRYN", "20261125-003609-KIHKRYN.sync-conflict-20261126-003609-KIHKRYN"]
        try FileManager.default.copyItem(atPath: file, toPath: file + ".sync-conflict-" + versions[0])
        try Data("Oat milk\n".utf8).write(to: URL(filePath: file + ".sync-conflict-" + versions[1]))
        let past = timespec(tv_sec: 1_000_000_000, tv_nsec: 0)
        #expect(utimensat(AT_FDCWD, file + ".sync-conflict-" + versions[0], [past, past], 0) == 0)
        unlink(file)
        #expect(await world.list("--group", "none") == ["Bread"])
        let told = await world.run("conflicts")
        #expect(told.lines.count == 1 && told.text.contains("(2 versions; its own file is gone)"), "\(told)")
        #expect(told.text.contains("Oat milk"))
        #expect(await world.run("resolve", "Oat milk").status == 0)
        let resolved = await world.run("resolve", "Oat milk", "--keep", "2")
        #expect(resolved.status == 0, "\(resolved)")
        #expect(await world.list("--group", "none") == ["Bread", "Milk, 2 l"])
        #expect(await world.run("conflicts").text == "")
        #expect(try world.file("Milk") == file)
        // A version in the trash, and a directory with the name of one, are none.
        try FileManager.default.createDirectory(
            atPath: file + ".sync-conflict-20261127-003609-KIHKRYN", withIntermediateDirectories: true)
        #expect(await world.run("conflicts").text == "")
        #expect(await world.run("undo").status == 0)
        #expect(await world.run("conflicts").lines.count == 1)
    }

    /// Another user's copy with the mode 0600 has no original.
    @Test func `A lost copy that cannot be read keeps no other conflict from its user`() async throws {
        let world = try await World()
        _ = await world.run("add", "Milk", "Bread", "Oats")
        let copy = ".sync-conflict-20261125-003609-KIHKRYN"
        let (bread, oats) = (try world.file("Bread"), try world.file("Oats"))
        try FileManager.default.moveItem(atPath: bread, toPath: bread + copy)
        try FileManager.default.moveItem(atPath: oats, toPath: oats + copy)
        try Data("Cream\n".utf8).write(to: URL(filePath: world.file("Milk") + copy))
        try Change.chmod(bread + copy, 0)
        defer { chmod(bread + copy, 0o600) }
        let told = await world.run("conflicts")
        #expect(told.status == 1 && told.errors.contains("(unreadable)"), "\(told)")
        #expect(told.lines.count == 2 && told.text.contains("Milk") && told.text.contains("Oats"), "\(told)")
        #expect(await world.run("resolve", "Milk", "--keep", "1").status == 0)
        #expect(await world.run("resolve", "Oats", "--keep", "1").status == 0)
        let refused = await world.run("resolve", "(unreadable)")
        #expect(refused.status == 1 && refused.errors.contains("Permission denied"), "\(refused)")
        #expect(await world.list("--group", "none") == ["Milk", "Oats"])
    }

    @Test func `Names are compared without case and normal form`() async throws {
        let world = try await World()
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
        let world = try await World()
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

    @Test func `Bought items come last, and each change can be undone`() async throws {
        let world = try await World()
        _ = await world.run("add", "Bread", "Milk", "Tea")
        _ = await world.run("buy", "bread", "milk")
        #expect(await world.run("list").lines.map { $0.prefix(1) } == [" ", "x", "x"])
        _ = await world.run("unbuy", "bread")
        _ = await world.run("rename", "tea", "Green tea")
        _ = await world.run("remove", "milk")
        let undone = [
            "undone: remove Milk", "undone: rename Tea", "undone: unbuy Bread", "undone: buy Bread, Milk",
            "undone: add 3 items",
        ]
        let lists = [
            ["Bread", "Green tea", "Milk"], ["Bread", "Tea", "Milk"], ["Tea", "Bread", "Milk"],
            ["Bread", "Milk", "Tea"], [],
        ]
        for (text, list) in zip(undone, lists) {
            #expect(await world.run("undo").lines == [text])
            #expect(await world.list() == list, "\(text)")
        }
        let nothing = await world.run("undo")
        #expect(nothing.status == 1 && nothing.errors == "grocery: there is nothing to undo\n")
    }

    @Test func `Undoing keeps the changes of others, and refuses where they changed the same`() async throws {
        let world = try await World()
        _ = await world.run("add", "Milk")
        _ = await world.run("rename", "milk", "Oat milk")
        let file = try world.file("Oat milk")
        try Change.write("Oat milk\nquantity: 2 l\n", to: file)
        #expect(await world.run("undo").status == 0)
        #expect(await world.list() == ["Milk, 2 l"])
        _ = await world.run("rename", "milk", "Oat milk")
        try Change.write("Soy milk\nquantity: 2 l\n", to: file)
        let refused = await world.run("undo")
        #expect(refused.status == 1)
        #expect(
            refused.errors
                == "grocery: cannot undo 'rename Milk': Oat milk was changed again since. The next undo takes the change before it\n"
        )
        #expect(await world.list() == ["Soy milk, 2 l"])
        // It does not block the change before it.
        #expect(await world.run("undo").errors.contains("cannot undo 'add Milk': Milk was changed since"))
        #expect(await world.run("undo").errors == "grocery: there is nothing to undo\n")
    }

    @Test func anImpossibleStepIsLeftOut() async throws {
        let world = try await World()
        _ = await world.run("add", "Bread", "Milk", "Tea")
        _ = await world.run("buy", "bread", "milk", "tea")
        try Change.remove(try world.file("Milk"))
        #expect(await world.run("undo", "--changes").lines == ["buy Bread, Milk, Tea", "add 3 items"])
        let partly = await world.run("undo")
        #expect(partly.status == 1 && partly.text == "undone: buy Bread, Milk, Tea\n")
        #expect(partly.errors == "grocery: not undone: Milk is gone\n")
        #expect(try world.files().values.sorted() == ["Bread\n", "Tea\n"])
        try Change.write("Green tea\n", to: try world.file("Tea"))
        let rest = await world.run("undo")
        #expect(rest.errors == "grocery: not undone: Tea was changed since; Milk is gone\n")
        #expect(await world.list() == ["Green tea"])
        #expect(await world.run("undo").errors == "grocery: there is nothing to undo\n")
    }

    @Test(arguments: ["not UTF-8", "a directory", "a link", "closed"])
    func anItemThatCannotBeReadBlocksNoEarlierChange(kind: String) async throws {
        let world = try await World()
        _ = await world.run("add", "Bread")
        _ = await world.run("add", "Eggs")
        let file = try world.file("Eggs")
        switch kind {
        case "not UTF-8": try Data([0x45, 0xFF, 0x0A]).write(to: URL(filePath: file))
        case "closed": try Change.chmod(file, 0)
        default:
            try Change.remove(file)
            if kind == "a link" { try Change.symlink("/etc/hostname", file) } else { try Change.directory(file) }
        }
        // Root may read everything.
        if kind != "closed" || geteuid() != 0 {
            let refused = await world.run("undo")
            #expect(refused.status == 1 && refused.errors.contains("cannot undo 'add Eggs'"), "\(refused.errors)")
        }
        #expect(await world.run("undo").text == "undone: add Bread\n")
    }

    @Test func programsThatRecordAtOnceLoseNoChange() async throws {
        let world = try await World()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<12 { group.addTask { _ = await world.run("add", "Item \(number)") } }
        }
        #expect(await world.run("undo", "--changes").lines.count == 12)
        await withTaskGroup(of: Int32.self) { group in
            for _ in 0..<4 { group.addTask { await world.run("undo").status } }
            for await status in group { #expect(status == 0 || status == 1) }
        }
        let left = await world.run("undo", "--changes").lines.count
        #expect(try world.files().count == left)
    }

    @Test func thePictureGoesWithTheLineThatNamesIt() async throws {
        let world = try await World()
        let picture = world.daemon.directory + "/picture.png"
        try Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]).write(to: URL(filePath: picture))
        _ = await world.run("add", "Milk")
        _ = await world.run("image", "milk", picture)
        _ = await world.run("image", "milk", picture)
        let file = try world.file("Milk")
        try Change.remove(file)
        let before = try world.files()
        #expect(await world.run("undo").errors.contains("cannot undo 'set picture of Milk': Milk is gone"))
        #expect(try world.files() == before)
    }

    @Test func anEmptyDirectoryInPlaceOfTheListForgetsNoChange() async throws {
        let world = try await World()
        _ = await world.run("add", "Milk")
        try FileManager.default.moveItem(atPath: world.daemon.box, toPath: world.daemon.box + ".away")
        // As a disk leaves it that is not mounted.
        mkdir(world.daemon.box, 0o755)
        #expect(await world.run("undo").status == 3)
        rmdir(world.daemon.box)
        try FileManager.default.moveItem(atPath: world.daemon.box + ".away", toPath: world.daemon.box)
        #expect(await world.run("undo").text == "undone: add Milk\n")
    }

    @Test func additionsAreUndoneAsTheFileGivesThemBack() async throws {
        let world = try await World()
        let items = ##"[{"name":"Rice","quantity":" 2 kg","note":"a\r\nb"}]"##
        #expect(await world.run(["import"], input: items).status == 0)
        #expect(try world.files().values.sorted() == ["Rice\nquantity: 2 kg\n\na\nb\n"])
        #expect(await world.run("undo").text == "undone: add Rice\n")
        #expect(try world.files() == [:])
    }

    @Test func aFileKeepsItsLineEnds() async throws {
        let world = try await World()
        _ = await world.run("add", "Milk")
        let file = try world.file("Milk")
        try Change.write("Milk\r\ntags: a\r\n\r\none\r\ntwo\r\n", to: file)
        #expect(await world.run("buy", "milk").status == 0)
        let bought = "Milk\r\nbought: yes\r\ntags: a\r\n\r\none\r\ntwo\r\n"
        #expect(try world.files().values.sorted() == [bought])
        #expect(await world.run("edit", "milk", editor: "sed -i s/two/three/").status == 0)
        #expect(try world.files().values.sorted() == [bought.replacing("two", with: "three")])
        #expect(await world.run("undo").status == 0)
        #expect(await world.run("undo").status == 0)
        #expect(try world.files().values.sorted() == [bought.replacing("bought: yes\r\n", with: "")])
    }

    @Test func aChangeThatCannotBeTakenBackNowStaysInTheLog() async throws {
        let world = try await World()
        _ = await world.run("add", "Milk")
        try FileManager.default.moveItem(atPath: world.daemon.box, toPath: world.daemon.box + ".away")
        #expect(await world.run("undo").status != 0)
        try FileManager.default.moveItem(atPath: world.daemon.box + ".away", toPath: world.daemon.box)
        #expect(await world.run("undo").text == "undone: add Milk\n")
    }

    @Test func `A file that another program wrote is shown, and gets its attributes`() async throws {
        let world = try await World()
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
        let world = try await World()
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
        let world = try await World()
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
        let world = try await World()
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
        // Other texts are as good as before, and what another program wrote is no slip of this user.
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
        let world = try await World()
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

    @Test func `A conflict is shown and resolved in each way, and the other versions can be brought back`() async throws
    {
        let world = try await World()
        _ = await world.run("add", "2 kg Flour #market", "--note", "one")
        let file = try world.file("Flour")
        let version = file + ".sync-conflict-20261125-120000-ABCDEFG"
        let other = "Flour\nquantity: 5 kg\ntags: aldi\n\ntwo\n"
        try Change.write(other, to: version)
        let shown = await world.run("resolve", "flour")
        #expect(shown.text.contains("* quantity  2 kg                          5 kg\n"), "\(shown.text)")
        #expect(shown.text.contains("ABCDEFG"))
        let unsure = await world.run("resolve", "flour", "--keep", "merged")
        #expect(unsure.errors.contains("differ in quantity") && unsure.status == 1, "\(unsure.errors)")
        #expect(await world.run("resolve", "flour", "--keep", "3").status == 64)
        for (arguments, list) in [
            (["merged", "--take", "quantity=2"], ["Flour, 5 kg  [market, aldi]"]), (["2"], ["Flour, 5 kg  [aldi]"]),
            (["current"], ["Flour, 2 kg  [market]"]), (["both"], ["Flour, 5 kg  [aldi]", "Flour, 2 kg  [market]"]),
        ] {
            let resolved = await world.run(["resolve", file.suffix(36).description, "--keep"] + arguments)
            #expect(resolved.status == 0, "\(arguments): \(resolved.errors)")
            #expect(await world.list() == list, "\(arguments)")
            #expect(await world.run("conflicts").text == "")
            #expect(await world.run("undo").status == 0)
            #expect(try String(contentsOfFile: version, encoding: .utf8) == other, "\(arguments)")
            // The former current version is in the trash, too, where another replaced it.
            if arguments != ["current"], arguments != ["both"] {
                let trash = world.daemon.box + "/.gather/trash"
                let texts = (FileManager.default.enumerator(atPath: trash)?.allObjects ?? []).compactMap {
                    try? String(contentsOfFile: "\(trash)/\($0)", encoding: .utf8)
                }
                #expect(texts.contains("Flour\nquantity: 2 kg\ntags: market\n\none\n"), "\(arguments)")
            }
            #expect(await world.list() == ["Flour, 2 kg  [market]"])
        }
    }

    @Test func `A list becomes a package and a folder again without loss`() async throws {
        let world = try await World()
        _ = await world.run("add", "Milk #a", "Flour", "Bread")
        try Data(GroceryEditingTests.picture).write(to: URL(filePath: world.daemon.directory + "/p"))
        #expect(await world.run("image", "flour", world.daemon.directory + "/p").status == 0)
        try Change.write("Milk 2\n", to: try world.file("Milk") + ".sync-conflict-20261125-120000-ABCDEFG")
        let (before, list) = (try world.files(), await world.list())
        #expect(before.count == 5)
        #expect(await world.run("convert", "--to-package", "Party").status == 0)
        #expect(Set(try world.files().keys.map { $0.split(separator: "/")[1] }) == ["items", "images"])
        #expect(await world.list() == list)
        // A change in the package is a change of one file.
        #expect(await world.run("buy", "bread").status == 0)
        #expect(await world.run("undo").status == 0)
        #expect(await world.run("convert", "--to-folder", "Feast").status == 0)
        #expect(await world.list() == list)
        #expect(await world.run("convert", "--to-documents").status == 0)
        #expect(try world.files() == before)
        #expect(await world.list() == list)
        #expect(try FileManager.default.contentsOfDirectory(atPath: world.documents).count == 5)
        // Nothing is overwritten.
        _ = await world.run("convert", "--to-folder", "Party")
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: world.documents + "/Party").min())
        try Change.write("mine", to: world.documents + "/" + name)
        #expect(await world.run("convert", "--to-documents").status == 64)
        #expect(try String(contentsOfFile: world.documents + "/" + name, encoding: .utf8) == "mine")
    }

    private static let picture: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3]

    @Test func `A picture lies beside its item, and goes to the trash with it`() async throws {
        let world = try await World()
        _ = await world.run("add", "Flour")
        let source = world.daemon.directory + "/p"
        try Data(GroceryEditingTests.picture).write(to: URL(filePath: source))
        #expect(await world.run("image", "flour", source).status == 0)
        let names = try world.files().keys.sorted()
        #expect(names.count == 2 && names[1].hasPrefix(names[0] + "-") && names[1].hasSuffix(".png"))
        #expect(await world.run("show", "flour").text.contains("picture     \(world.documents)/\(names[1])"))
        #expect(await world.run("remove", "flour").status == 0)
        #expect(try world.files().isEmpty)
        #expect(await world.run("undo").status == 0)
        #expect(try world.files().keys.sorted() == names)
        #expect(await world.run("image", "flour", "--remove").status == 0)
        #expect(try world.files().keys.sorted() == [names[0]])
        #expect(await world.run("undo").status == 0)
        #expect(try world.files().keys.sorted() == names)
        try Change.write("no picture", to: source)
        #expect(await world.run("image", "flour", source).status == 64)
    }

    @Test func `A picture that a list cannot keep is refused with its size and with what helps`() async throws {
        let world = try await World()
        _ = await world.run("add", "Flour")
        let source = world.daemon.directory + "/p"
        try Data(GroceryEditingTests.picture).write(to: URL(filePath: source))
        try #require(truncate(source, 30 << 20) == 0)
        let large = await world.run("image", "flour", source)
        #expect(large.status == 64)
        #expect(large.errors.contains("has 31457280 bytes, and 16777216 bytes are the most"), "\(large.errors)")
        let pipe = await world.run("image", "flour", "/dev/zero")
        #expect(pipe.status == 64 && pipe.errors.contains("has more than 16777216 bytes"), "\(pipe.errors)")
        try Data([0, 0, 0, 24] + Array("ftypheic".utf8) + [0, 0, 0, 0]).write(to: URL(filePath: source))
        let foreign = await world.run("image", "flour", source)
        #expect(foreign.status == 64 && foreign.errors.contains("heif-convert"), "\(foreign.errors)")
        #expect(try world.files().count == 1)
    }

    @Test func `A line that names another file as the picture neither shows nor removes it`() async throws {
        let world = try await World()
        _ = await world.run("add", "Flour", "Milk")
        let (flour, milk) = (try world.file("Flour"), try world.file("Milk"))
        for name in [String(milk.suffix(41)), "..", "Item_x.png", "../gatherd"] {
            try Change.write("Flour\npicture: \(name)\n", to: flour)
            #expect(!(await world.run("show", "flour").text.contains("\npicture")), "\(name)")
            #expect(await world.run("remove", "flour").status == 0, "\(name)")
            #expect(await world.list() == ["Milk"], "\(name)")
            #expect(await world.run("undo").status == 0, "\(name)")
        }
    }

    @Test func `A picture is replaced, and the former one comes back`() async throws {
        let world = try await World()
        _ = await world.run("add", "Flour")
        let source = world.daemon.directory + "/p"
        for number in [1, 2] as [UInt8] {
            try Data(GroceryEditingTests.picture + [number]).write(to: URL(filePath: source))
            #expect(await world.run("image", "flour", source).status == 0)
        }
        func last() throws -> UInt8? {
            let names = try FileManager.default.contentsOfDirectory(atPath: world.documents).filter {
                $0.hasSuffix(".png")
            }
            #expect(names.count == 1)
            return try names.first.flatMap { try Data(contentsOf: URL(filePath: world.documents + "/" + $0)).last }
        }
        #expect(try last() == 2)
        #expect(await world.run("undo").status == 0)
        #expect(try last() == 1)
    }

    @Test func `A conversion that was interrupted goes on`() async throws {
        let world = try await World()
        _ = await world.run("settings", "--use", "Party")
        _ = await world.run("add", "Milk", "Bread", "Tea")
        let before = Set(try world.files().values)
        #expect(await world.run("convert", "--to-package", "Party").status == 0)
        // One item is in the folder still.
        try Change.directory(world.documents + "/Party")
        let file = try world.file("Bread")
        try Change.rename(file, world.documents + "/Party/" + String(file.suffix(41)))
        #expect(await world.list() == ["Bread", "Milk", "Tea"])
        #expect(await world.run("buy", "bread").status == 0)
        #expect(await world.run("unbuy", "bread").status == 0)
        let goesOn = await world.run("convert", "--to-package", "Party")
        #expect(goesOn.status == 0, "\(goesOn.errors)")
        #expect(await world.list() == ["Bread", "Milk", "Tea"])
        #expect(Set(try world.files().values) == before)
        // A file of another program keeps the package, and that is said.
        try Change.write("x", to: world.documents + "/Party.gro/notes.txt")
        let left = await world.run("convert", "--to-documents")
        #expect(left.errors.contains("other files are left in \(world.documents)/Party.gro"), "\(left.errors)")
        #expect(Set(try world.files().values) == before.union(["x"]))
    }

    @Test func `An exported list is imported as it was`() async throws {
        let world = try await World()
        _ = await world.run("add", "2 kg Flour #market", "--note", "line \"one\"\nline two")
        _ = await world.run("add", "Milk")
        _ = await world.run("buy", "milk")
        let json = await world.run("export").text
        let objects = try #require(JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]])
        #expect(objects.map { $0["name"] as? String } == ["Flour", "Milk"])
        #expect(objects[0]["note"] as? String == "line \"one\"\nline two" && objects[1]["bought"] as? Bool == true)
        #expect(await world.run("export", "--format", "todo").text == "Flour @market qty:2_kg\nx Milk\n")
        let before = try world.files()
        #expect(await world.run("import", input: json).text == "0 items are on the list now; 2 were there already\n")
        _ = await world.run("remove", "flour", "milk")
        #expect(await world.run("import", input: json).text == "2 items are on the list now\n")
        #expect(try world.files() == before)
        #expect(
            await world.run("import", "--format", "todo", input: "x 2026-01-02 Tea @a_b +c\n\n(A) Rum qty:1_l\n").status
                == 0)
        #expect(await world.list("--group", "none") == ["Flour, 2 kg  [market]", "Rum, 1 l", "Milk", "Tea  [a b, c]"])
        for wrong in ["[{", "[{\"name\":\"\"}]", "{}", "[1]"] {
            #expect(await world.run("import", "--format", "json", input: wrong).status == 64, "\(wrong)")
        }
        #expect(try world.files().count == 4)
    }

    @Test func `Settings follow their user`() async throws {
        let world = try await World()
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
        let world = try await World()
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
