// The grocery list on the real daemon.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import Glibc
import TestSupport
import Testing

@Suite(.serialized)
struct GroceryTests {
    private func files(_ daemon: TestDaemon) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: daemon.box + "/Documents").sorted()
    }

    /// The lines of a list without the identifiers.
    private func lines(_ result: ChildProcess.Result) -> [String] { ListedItem.texts(result.lines) }

    @Test func `A list from the first item to the last`() async throws {
        let daemon = try await TestDaemon()
        #expect(await daemon.grocery("list").text == "")
        let added = await daemon.grocery("add", "Milk", " Rye bread ", "--tag", "breakfast")
        #expect(added.status == 0, "\(added.errors)")
        #expect(added.lines.count == 2)
        let names = try files(daemon)
        #expect(names.count == 2)
        #expect(
            names.allSatisfy {
                $0.wholeMatch(of: /Item_[0-9A-F]{8}-[0-9A-F]{4}-4[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}/) != nil
            })
        let texts = try names.map { try String(contentsOfFile: daemon.box + "/Documents/" + $0, encoding: .utf8) }
        #expect(Set(texts) == ["Milk\ntags: breakfast\n", "Rye bread\ntags: breakfast\n"])

        #expect(await lines(daemon.grocery("list")) == ["Milk  [breakfast]", "Rye bread  [breakfast]"])
        #expect(await daemon.grocery("tag", "rye", "urgent").status == 0)
        #expect(await lines(daemon.grocery("list", "--tag", "urgent")) == ["Rye bread  [breakfast, urgent]"])
        #expect(await daemon.grocery("untag", "rye", "breakfast").status == 0)
        #expect(await daemon.grocery("untag", "rye", "breakfast").status == 1)
        #expect(await lines(daemon.grocery("list", "--tag", "breakfast")) == ["Milk  [breakfast]"])

        #expect(await daemon.grocery("rename", "milk", "Oat milk").status == 0)
        #expect(await lines(daemon.grocery("list")) == ["Oat milk  [breakfast]", "Rye bread  [urgent]"])
        // The same files as before: saving keeps the identity, and leaves nothing behind.
        #expect(try files(daemon) == names)

        let identifier = try #require(added.lines[1].split(separator: " ").first.map { String($0.prefix(8)) })
        let show = await daemon.grocery("show", identifier)
        #expect(show.text.contains("Rye bread") && show.text.contains("urgent"))
        #expect(await daemon.grocery("remove", "oat", identifier).status == 0)
        #expect(await daemon.grocery("list").text == "")
        #expect(try files(daemon) == [])
    }

    @Test func `Saving keeps mode, attributes and identity`() async throws {
        let daemon = try await TestDaemon()
        _ = await daemon.grocery("add", "Milk", "--tag", "a")
        let path = daemon.box + "/Documents/" + (try files(daemon)[0])
        try Change.chmod(path, 0o660)
        let before = try await daemon.client.find("name LIKE 'Item_*'", attributes: [.mode, .tags, .inode])
        #expect(await daemon.grocery("rename", "Milk", "Cream").status == 0)
        let after = try await daemon.client.find("name LIKE 'Item_*'", attributes: [.mode, .tags, .inode])
        #expect(after.items.map(\.id) == before.items.map(\.id))
        #expect(after.items[0].mode == 0o660)
        #expect(after.items[0].tags == ["a"])
        #expect(after.items[0].inode != before.items[0].inode)
    }

    @Test func itemsAreNamedByTheBeginningOfTheirNames() async throws {
        let daemon = try await TestDaemon()
        _ = await daemon.grocery("add", "Milk", "Milk powder", "Oat milk", "Butter")
        let ambiguous = await daemon.grocery("remove", "mil")
        #expect(ambiguous.status == 1)
        #expect(
            ambiguous.errors.hasPrefix("grocery: 'mil' matches 2 items; use more of the name, or the identifier:\n"),
            "\(ambiguous.errors)")
        let shown = ambiguous.errors.split(separator: "\n").dropFirst().map { $0.dropFirst(12) }
        #expect(shown == ["Milk", "Milk powder"])
        // A whole name goes before a beginning.
        #expect(await daemon.grocery("remove", "MILK").status == 0)
        #expect(await daemon.grocery("rename", "milk", "Soy milk").status == 0)
        #expect(await lines(daemon.grocery("list")) == ["Butter", "Oat milk", "Soy milk"])
        let missing = await daemon.grocery("remove", "tea", "butter")
        #expect(missing.status == 1)
        #expect(missing.errors == "grocery: no item is named 'tea' or begins with it; see: grocery list\n")
        #expect(await daemon.grocery("list").lines.count == 3)
    }

    @Test(arguments: ["remove", "rename"])
    func theMiddleOfANameOrIdentifierNamesNoItem(_ command: String) async throws {
        let daemon = try await TestDaemon()
        _ = await daemon.grocery("add", "Oat milk")
        let identifier = try #require(files(daemon).first.map { String($0.dropFirst(5)) })
        let rest = command == "rename" ? ["Tea"] : []
        // Digits, so that none of these is the beginning of the name.
        let middle = String(identifier.dropFirst(9).prefix(9))
        for text in ["milk", "at", "t m", middle, String(identifier.prefix(3))] {
            let result = await daemon.grocery([command, text] + rest)
            #expect(result.status == 1, "\(text)")
            #expect(result.errors.contains("no item is named"), "\(text): \(result.errors)")
        }
        #expect(await lines(daemon.grocery("list")) == ["Oat milk"])
        let result = await daemon.grocery([command, identifier.prefix(4).lowercased()] + rest)
        #expect(result.status == 0, "\(result.errors)")
        #expect(await lines(daemon.grocery("list")) == rest)
    }

    @Test(arguments: ["", "   ", "two\nlines", "bell\u{7}", String(repeating: "x", count: 1001), "a\u{2028}b"])
    func `Names that cannot be are refused`(_ name: String) async throws {
        let daemon = try await TestDaemon()
        let result = await daemon.grocery("add", "Good", name)
        #expect(result.status == 64)
        #expect(result.errors.hasPrefix("grocery: "))
        #expect(await daemon.grocery("list").text == "")
        #expect(await daemon.grocery("add", "Good", "--tag", "a,b").status == 64)
    }

    @Test func `Without a container it prints the one command that makes it`() async throws {
        let daemon = try await TestDaemon()
        let result = await run(.grocery, "list", "--socket", daemon.socket.path)
        #expect(result.status == 1)
        #expect(
            result.errors.contains("For a first list: grocery init --socket \(daemon.socket.path)\n"),
            "\(result.errors)")
        let other = await run(
            .grocery, "list", environment: ["GROCERY_CONTAINER": "box", "GATHER_SOCKET": daemon.socket.path])
        #expect(other.status == 0)
    }

    /// A second member of the group that owns the list's directory.
    @Test(.needsRoot("other users", if: GroceryUser.canBecome), arguments: [0o775, 0o2775] as [mode_t])
    func membersOfAGroupEditEachOthersItems(_ mode: mode_t) async throws {
        let list = try await SharedGroceryList(group: 42_001, mode: mode)
        let (ana, ben) = (
            GroceryUser(user: 41_001, groups: [41_001, 42_001]), GroceryUser(user: 41_002, groups: [41_002, 42_001])
        )
        let added = await list.grocery(as: ana, "add Milk --tag a")
        #expect(added.status == 0, "\(added.errors)")
        let file = try #require(try list.files().first)
        #expect(try list.access(file) == [41_001, 42_001, 0o664])
        for command in ["tag milk urgent", "rename milk 'Oat milk'", "add Tea"] {
            let result = await list.grocery(as: ben, command)
            #expect(result.status == 0, "\(command): \(result.errors)")
        }
        // Saved by Ben, who owns the new file; Ana writes to it through the group.
        #expect(try list.access(file) == [41_002, 42_001, 0o664])
        for command in ["tag oat b", "rename tea Coffee"] {
            let result = await list.grocery(as: ana, command)
            #expect(result.status == 0, "\(command): \(result.errors)")
        }
        let shown = await list.grocery(as: ben, "list")
        #expect(lines(shown) == ["Oat milk  [a, urgent, b]", "Coffee"], "\(shown.errors)")
    }

    @Test(.needsRoot("other users", if: GroceryUser.canBecome))
    func anItemInADirectoryOfOneUserIsWritableToThatUserOnly() async throws {
        let list = try await SharedGroceryList(owner: 41_001, group: 42_001, mode: 0o755)
        let ana = GroceryUser(user: 41_001, groups: [41_001, 42_001])
        let added = await list.grocery(as: ana, "add Milk")
        #expect(added.status == 0, "\(added.errors)")
        let file = try #require(try list.files().first)
        #expect(try list.access(file) == [41_001, 42_001, 0o644])
    }

    @Test func `Watching shows what others do`() async throws {
        let daemon = try await TestDaemon()
        _ = await daemon.grocery("add", "Milk")
        let watch = ChildProcess(.grocery, ["watch", "--container", "box", "--socket", daemon.socket.path])
        #expect(await watch.nextLine() == "  Milk")
        _ = await daemon.grocery("add", "Bread")
        #expect(await watch.nextLine() == "+ Bread")
        _ = await daemon.grocery("rename", "Milk", "Oat milk")
        #expect(await watch.nextLine() == "~ Milk -> Oat milk")
        _ = await daemon.grocery("tag", "Bread", "urgent")
        #expect(await watch.nextLine() == "~ Bread -> Bread  [urgent]")
        _ = await daemon.grocery("remove", "Bread")
        #expect(await watch.nextLine() == "- Bread  [urgent]")
        watch.kill(SIGINT)
        #expect(await watch.result().status == 130)
    }
}
