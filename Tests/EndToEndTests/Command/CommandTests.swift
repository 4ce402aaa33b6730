// The query command as a person and a script use it: output, statuses, signals.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import Glibc
import TestSupport
import Testing

@Suite(.serialized)
struct CommandTests {
    @Test func `find prints paths, attributes, objects, counts`() async throws {
        let daemon = try await TestDaemon()
        let box = daemon.box
        try Change.directory(box + "/Documents")
        try Change.write("1234", to: box + "/Documents/Item_b")
        try Change.write("12", to: box + "/Documents/Item_a")
        try Change.write("1", to: box + "/Item_c")

        let found = await daemon.gather("find", "name LIKE 'Item_*'", "--sort", "name")
        #expect(found.status == 0)
        #expect(found.lines == ["\(box)/Documents/Item_a", "\(box)/Documents/Item_b", "\(box)/Item_c"])
        #expect(found.errors == "")

        let descending = await daemon.gather(
            "find", "name LIKE 'Item_*'", "--sort", "-size", "--attributes", "name,size")
        #expect(descending.lines == ["Item_b\t4", "Item_a\t2", "Item_c\t1"])
        let other = await daemon.gather("find", "name LIKE 'Item_*'", "--sort", "size:desc", "--limit", "1")
        #expect(other.lines == ["\(box)/Documents/Item_b"])

        let documents = await daemon.gather("find", "", "--scope", "documents", "--sort", "path")
        #expect(documents.lines == ["\(box)/Documents/Item_a", "\(box)/Documents/Item_b"])
        let data = await daemon.gather("find", "kind == 'file'", "--scope", "data", "--container", "box")
        #expect(data.lines == ["\(box)/Item_c"])

        let link = daemon.directory + "/link"
        try Change.symlink(box + "/Documents", link)
        let inside = await daemon.gather("find", "", "--in", link, "-0", "--sort", "name")
        #expect(inside.output == Array("\(box)/Documents/Item_a\0\(box)/Documents/Item_b\0".utf8))

        let objects = await daemon.gather("find", "name == 'Item_a'", "--json", "--attributes", "name,size")
        let object = try JSONSerialization.jsonObject(with: Data(objects.output)) as? [String: Any]
        #expect(object?["name"] as? String == "Item_a")
        #expect(object?["size"] as? Int == 2)
        #expect(Set(object?.keys ?? [:].keys) == ["id", "name", "size"])

        #expect(await daemon.gather("find", "name LIKE 'Item_*'", "--count").text == "3\n")
        #expect(await daemon.gather("count", "name LIKE 'Item_*'").text == "3\n")
        #expect(await daemon.gather("find", "name LIKE 'Item_*'", "--no-sync").lines.count == 3)
    }

    @Test func `The plain form of find, which is read by hand, means the same in any order`() async throws {
        let daemon = try await TestDaemon(containers: ["box", "other"])
        for name in ["a", "b"] { try Change.write("", to: daemon.box + "/" + name) }
        try Change.write("", to: daemon.directory + "/other/c")
        let socket = daemon.socket.path
        let paths = ["\(daemon.box)/a", "\(daemon.box)/b", "\(daemon.directory)/other/c"]
        for (arguments, expected) in [
            (["find", "", "--socket", socket], paths), (["find", "--socket", socket, "--", ""], paths),
            (["find", "--socket=\(socket)", ""], paths),
            (["find", "--container", "box", "", "--socket", socket, "--no-sync"], Array(paths[..<2])),
            (["find", "--container=box", "", "--socket", socket], Array(paths[..<2])),
            (["find", "--container", "box", "--container", "other", "", "--socket", socket], paths),
            (["find", "--limit", "1", "name == 'b'", "--socket", socket], [paths[1]]),
            (["find", "name == '-x'", "--socket", socket], []),
        ] {
            let result = await ChildProcess(.gather, arguments).result()
            #expect(result.status == 0, "\(arguments): \(result.errors)")
            #expect(result.lines.sorted() == expected, "\(arguments)")
        }
        let limited = await ChildProcess(.gather, ["find", "-0", "--limit", "2", "", "--socket", socket]).result()
        #expect(limited.output.count { $0 == 0 } == 2)
        let chosen = await ChildProcess(.gather, ["find", "", "--user", "--socket", socket]).result()
        #expect(chosen.status == 64)
    }

    @Test func `find answers with what was written before it was asked`() async throws {
        let daemon = try await TestDaemon()
        for number in 0..<50 {
            try Change.write("", to: daemon.box + "/f\(number)")
            #expect(await daemon.gather("count", "name BEGINSWITH 'f'").text == "\(number + 1)\n")
        }
    }

    @Test func `--quiet answers by its status`() async throws {
        let daemon = try await TestDaemon()
        try Change.write("", to: daemon.box + "/here")
        let found = await daemon.gather("find", "name == 'here'", "--quiet")
        #expect((found.status, found.text) == (0, ""))
        let missing = await daemon.gather("find", "name == 'there'", "--quiet")
        #expect((missing.status, missing.text) == (1, ""))
        let neither = await daemon.gather("find", "name == 'there'")
        #expect((neither.status, neither.text, neither.errors) == (0, "", ""))
    }

    @Test func `A wrong predicate has a caret, and a bare word is a part of the name`() async throws {
        let daemon = try await TestDaemon()
        for name in ["Item_1", "oat milk"] { try Change.write("", to: daemon.box + "/" + name) }
        for command in ["find", "watch", "count", "explain"] {
            let wrong = await daemon.gather(command, "name LIKE")
            #expect(wrong.status == 2, "\(command)")
            #expect(wrong.errors.contains("\n  name LIKE\n           ^"), "\(wrong.errors)")
            #expect(wrong.text == "")
        }
        #expect(await daemon.gather("find", "Item_*").lines == [daemon.box + "/Item_1"])
        #expect(await daemon.gather("find", "milk").lines == [daemon.box + "/oat milk"])
        let unknown = await daemon.gather("find", "colour == 'red'")
        #expect(unknown.status == 2)
        #expect(unknown.errors.contains("colour"), "\(unknown.errors)")
    }

    @Test func `Arguments that are wrong are 64`() async throws {
        let daemon = try await TestDaemon()
        for arguments in [
            ["find"], ["find", "", "--limit", "0"], ["find", "", "--limit", "x"], ["find", "", "--sort", "colour"],
            ["find", "", "--sort", "size:up"], ["find", "", "--attributes", "name,colour"], ["find", "", "--nonsense"],
            ["find", "", "--scope", "everything"], ["find", "", "--count", "--json"], ["find", "", "extra"],
            ["find", "", "--in", "/does/not/exist"], ["find", "", "--in", "/etc/passwd"],
            ["find", "", "--in", "/proc"], ["find", "", "--container", "nothing"], ["watch", "", "--batch", "-1"],
            ["watch", "", "--container", "nothing"], ["nonsense"], ["container", "add", "x", "/does/not/exist"],
        ] {
            let result = await ChildProcess(
                .gather, arguments + (arguments.first == "nonsense" ? [] : ["--socket", daemon.socket.path])
            ).result()
            #expect(result.status == 64, "\(arguments): \(result.errors)")
            #expect(result.errors != "", "\(arguments)")
            #expect(result.text == "", "\(arguments)")
        }
        let outside = await daemon.gather("find", "", "--in", "/proc")
        #expect(outside.errors.contains("gather container add"), "\(outside.errors)")
        let help = await run(.gather, "find", "--help")
        #expect(help.status == 0)
        #expect(help.text.contains("EXAMPLES"))
    }

    @Test func `A daemon that is away is 69, with the way to start it`() async throws {
        let nowhere = NSTemporaryDirectory() + "nowhere-\(UUID().uuidString)"
        for arguments in [
            ["find", ""], ["watch", ""], ["count", ""], ["status"], ["container", "list"], ["reload"],
        ] {
            let result = await ChildProcess(.gather, arguments + ["--socket", nowhere]).result()
            #expect(result.status == 69, "\(arguments)")
            #expect(result.errors.contains("gatherd --socket"), "\(result.errors)")
        }
        let system = await run(
            .gather, "count", "", environment: ["GATHER_SOCKET": nowhere])
        #expect(system.status == 69)
        #expect(system.errors.contains(nowhere))
        let grocery = await run(.grocery, "list", environment: ["GATHER_SOCKET": nowhere])
        #expect(grocery.status == 69)
    }

    @Test func `The daemon may be named before the command`() async throws {
        let daemon = try await TestDaemon()
        for arguments in [["--socket", daemon.socket.path], ["--socket=\(daemon.socket.path)"]] {
            for command in [["status"], ["container", "list"], ["reload"], ["find", ""], ["count", "--", ""]] {
                let result = await ChildProcess(.gather, arguments + command).result()
                #expect(result.status == 0, "\(arguments + command): \(result.errors)")
            }
        }
        // As the units reload. There may be such a daemon here or not, but the arguments are right.
        for choice in ["--user", "--system"] {
            let help = await run(.gather, choice, "reload", "--help")
            #expect(help.status == 0, "\(help.errors)")
        }
    }

    @Test func `A daemon without containers says so`() async throws {
        let daemon = try await TestDaemon(containers: [])
        for command in [["find", ""], ["count", ""], ["container", "list"], ["status"]] {
            let result = await ChildProcess(.gather, command + ["--socket", daemon.socket.path]).result()
            #expect(result.status == 0, "\(command)")
            #expect(result.errors.contains("gather container add"), "\(command): \(result.errors)")
        }
    }

    @Test func `Ctrl-C ends a watch with 130, and a closed pipe ends it quietly`() async throws {
        let daemon = try await TestDaemon()
        try Change.write("", to: daemon.box + "/a")
        let watch = ChildProcess(.gather, ["watch", "", "--socket", daemon.socket.path])
        #expect(await watch.nextLine() == "  \(daemon.box)/a")
        watch.kill(SIGINT)
        let result = await watch.result()
        #expect(result.status == 130)
        #expect(result.errors == "")

        for number in 0..<2000 { try Change.write("", to: daemon.box + "/file-\(number)") }
        let find = await ChildProcess(.gather, ["find", "", "--socket", daemon.socket.path], closesOutput: true)
            .result()
        #expect(find.status == 0)
        #expect(find.errors == "")

        // Without another change that would have to be written.
        let piped = ChildProcess(.gather, ["watch", "", "--socket", daemon.socket.path], closesOutput: true)
        let ended = await piped.result()
        #expect(ended.status == 0)
        #expect(ended.errors == "")
    }

    @Test func `watch prints objects, and goes on from a clock`() async throws {
        let daemon = try await TestDaemon()
        try Change.write("", to: daemon.box + "/a")
        let watch = ChildProcess(
            .gather, ["watch", "", "--json", "--attributes", "name", "--socket", daemon.socket.path])
        func next() async throws -> [String: Any] {
            let line = try #require(await watch.nextLine())
            return try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        #expect(try await next()["event"] as? String == "started")
        let first = try await next()
        #expect(first["event"] as? String == "result")
        #expect(Set((first["item"] as? [String: Any])?.keys.map { $0 } ?? []) == ["id", "name"])
        let gathered = try await next()
        #expect(gathered["event"] as? String == "gathered")
        #expect(gathered["count"] as? Int == 1)
        let clock = try #require(gathered["clock"] as? String)
        watch.kill(SIGINT)
        _ = await watch.result()

        try Change.write("", to: daemon.box + "/b")
        try Change.remove(daemon.box + "/a")
        // A live query does not wait as find does: it would hear of the rest as updates.
        try await daemon.client.flush()
        let resumed = ChildProcess(
            .gather, ["watch", "", "--since", clock, "--json", "--attributes", "name", "--socket", daemon.socket.path])
        var events: [String] = []
        while let line = await resumed.nextLine() {
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            let event = try #require(object["event"] as? String)
            if event == "gathered" { break }
            let name = (object["item"] as? [String: Any])?["name"] ?? object["path"]
            events.append("\(event) \(name ?? object["resumed"] as? Bool ?? false)")
        }
        resumed.kill(SIGINT)
        #expect(await resumed.result().status == 130)
        #expect(events.first == "started true")
        #expect(Set(events.dropFirst()) == ["added b", "removed \(daemon.box)/a"])

        let stale = ChildProcess(.gather, ["watch", "", "--since", "1-2-3", "--socket", daemon.socket.path])
        #expect(await stale.nextLine() == "  \(daemon.box)/b")
        stale.kill(SIGINT)
        #expect(await stale.result().errors.contains("not known any more"))
    }

    @Test func `Containers come and go`() async throws {
        let daemon = try await TestDaemon()
        let more = daemon.directory + "/more"
        try Change.directory(more)
        try Change.write("", to: more + "/x")
        let added = await daemon.gather("container", "add", "more", more)
        #expect(added.status == 0, "\(added.errors)")
        #expect(added.text == "more: live, 1 item in 1 directory\n")
        let list = await daemon.gather("container", "list")
        #expect(list.lines == ["box\tlive\t0\t\(daemon.box)", "more\tlive\t1\t\(more)"])
        #expect(await daemon.gather("count", "name == 'x'").text == "1\n")
        #expect(await daemon.gather("container", "add", "more", more).status == 1)
        let rescan = await daemon.gather("container", "rescan", "more")
        #expect(rescan.text == "added 0, changed 0, removed 0\n")
        #expect(await daemon.gather("container", "remove", "more").status == 0)
        #expect(await daemon.gather("count", "name == 'x'").text == "0\n")
        let refused = await daemon.gather("container", "remove", "box")
        #expect(refused.status == 1)
        #expect(refused.errors != "")
        #expect(await daemon.gather("container", "remove", "nothing").status == 1)

        let status = await daemon.gather("status", "--json")
        let object = try JSONSerialization.jsonObject(with: Data(status.output)) as? [String: Any]
        #expect((object?["containers"] as? [[String: Any]])?.first?["identifier"] as? String == "box")
        #expect(await daemon.gather("status").text.contains(daemon.box))
        #expect(await daemon.gather("attributes").text.contains("size\tinteger\t"))
        #expect(await daemon.gather("explain", "name == 'x'").text.contains("name == "))
    }

    @Test func `filter answers each line, and names those that it cannot`() async throws {
        let input = "{\"name\":\"Milk\"}\n{\"name\":5}\nnothing\n\n{\"name\":\"Mo\"}"
        let result = await run(.gather, "filter", "name BEGINSWITH 'M'", input: input)
        #expect(result.status == 2)
        #expect(result.lines == ["{\"name\":\"Milk\"}", "{\"name\":\"Mo\"}"])
        #expect(result.errors.contains("line 2: ") && result.errors.contains("line 3: "), "\(result.errors)")
        let good = await run(
            .gather, "filter", "a > 1", input: String(repeating: "{\"a\":1}\n{\"a\":2}\n", count: 50_000))
        #expect(good.status == 0)
        #expect(good.text == String(repeating: "{\"a\":2}\n", count: 50_000))
        #expect(await run(.gather, "filter", "a >", input: "").status == 2)
    }
}
