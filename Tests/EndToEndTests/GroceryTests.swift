// The grocery list on the real daemon.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import Glibc
import Testing

@Suite(.serialized, .timeLimit(.minutes(20)))
struct GroceryTests {
    private func files(_ daemon: TestDaemon) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: daemon.box + "/Documents").sorted()
    }

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
        #expect(Set(texts) == ["Milk\n", "Rye bread\n"])

        #expect(await daemon.grocery("list").lines == ["Milk  [breakfast]", "Rye bread  [breakfast]"])
        #expect(await daemon.grocery("tag", "bread", "urgent").status == 0)
        #expect(await daemon.grocery("list", "--tag", "urgent").lines == ["Rye bread  [breakfast, urgent]"])
        #expect(await daemon.grocery("untag", "bread", "breakfast").status == 0)
        #expect(await daemon.grocery("untag", "bread", "breakfast").status == 1)
        #expect(await daemon.grocery("list", "--tag", "breakfast").lines == ["Milk  [breakfast]"])

        #expect(await daemon.grocery("rename", "milk", "Oat milk").status == 0)
        #expect(await daemon.grocery("list").lines == ["Oat milk  [breakfast]", "Rye bread  [urgent]"])
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

    @Test func `Items are named by any part that only one of them has`() async throws {
        let daemon = try await TestDaemon()
        _ = await daemon.grocery("add", "Milk", "Oat milk", "Butter")
        let ambiguous = await daemon.grocery("remove", "mil")
        #expect(ambiguous.status == 1)
        #expect(ambiguous.errors.contains("Oat milk"), "\(ambiguous.errors)")
        // The whole name of one is part of the other's, and names the one.
        #expect(await daemon.grocery("remove", "MILK").status == 0)
        #expect(await daemon.grocery("list").lines == ["Butter", "Oat milk"])
        let missing = await daemon.grocery("remove", "tea", "butter")
        #expect(missing.status == 1)
        #expect(await daemon.grocery("list").lines.count == 2)
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
            result.errors.contains("gather container add --socket \(daemon.socket.path) grocery DIRECTORY"),
            "\(result.errors)")
        let other = await run(
            .grocery, "list", environment: ["GROCERY_CONTAINER": "box", "GATHER_SOCKET": daemon.socket.path])
        #expect(other.status == 0)
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
