// Extended attributes and the targets of links over the socket: asked for, sorted by, counted, followed and kept.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import LinuxSystem
import Metadata
import TestSupport
import Testing
import Varlink

@testable import GatherService

struct ExtendedAttributeTests {
    /// Sets extended attributes of the namespace `user` below the tree, nil for none.
    private func set(_ directory: TemporaryDirectory, _ name: String, _ attributes: [String: String?]) throws {
        let top = try Directory.open(directory.path + "/tree", access: .path)
        for (attribute, value) in attributes {
            if let value {
                try Array(value.utf8).withUnsafeBytes {
                    try ExtendedAttributes.set("user." + attribute, of: name, in: top.number, to: $0)
                }
            } else {
                try ExtendedAttributes.remove("user." + attribute, of: name, in: top.number)
            }
        }
    }

    private func fill(_ directory: TemporaryDirectory) throws {
        for name in ["a", "b", "c", "d/e"] { try directory.write("x", to: "tree/" + name) }
        try set(directory, "a", ["xdg.comment": "good", "baloo.rating": "10", "mime_type": "a/b"])
        try set(directory, "b", ["xdg.comment": "bad", "baloo.rating": "9", "xdg.origin.url": "https://example.org/b"])
        try set(directory, "c", ["baloo.rating": "many", "com.apple:x-y": "z"])
        try set(directory, "d", ["xdg.tags": "red"])
        #expect(symlink("../a", directory.path + "/tree/d/link") == 0)
    }

    @Test func `Each is asked for, shown, sorted by and counted`() async throws {
        try await DaemonFixture.run { daemon in
            try fill(daemon.directory)
            #expect(try await daemon.find("comment LIKE 'g*'") == ["a"])
            #expect(try await daemon.find("rating >= 9") == ["a", "b"])
            #expect(try await daemon.find("kind == 'file' AND rating == nil") == ["c", "d/e"])
            #expect(try await daemon.find("whereFrom CONTAINS 'example'") == ["b"])
            #expect(try await daemon.find("kMDItemStarRating != nil AND xattr.mime_type == 'a/b'") == ["a"])
            #expect(try await daemon.find("xattr['com.apple:x-y'] == 'z' OR target ENDSWITH 'a'") == ["c", "d/link"])

            let names = ["name", "comment", "rating", "whereFrom", "target", "tags", "xattr.mime_type", "xattr.none"]
            let items = try await daemon.call(
                QueryInterface.Find.self,
                .init(
                    predicate: "", attributes: names,
                    sort: [
                        .init(attribute: "rating", ascending: false),
                        .init(attribute: "xattr.com.apple:x-y", ascending: false),
                    ])
            ).items
            #expect(items.prefix(3).compactMap(\.name) == ["a", "b", "c"])
            func item(_ name: String) throws -> Item { try #require(items.first { $0.name == name }) }
            #expect(try item("a").comment == "good" && item("a").rating == 10)
            #expect(try item("a").extended == ["mime_type": "a/b"] && item("b").extended == nil)
            #expect(try item("b").whereFrom == "https://example.org/b" && item("c").rating == nil)
            #expect(try item("link").target == "../a" && item("a").target == nil && item("d").tags == ["red"])

            func values(_ attribute: String) async throws -> [ValueCount] {
                try await daemon.call(
                    QueryInterface.Values.self, .init(predicate: "kind IN {'file', 'symlink'}", attribute: attribute)
                ).values
            }
            #expect(
                try await values("rating") == [
                    .init(count: 3), .init(integer: 9, count: 1), .init(integer: 10, count: 1),
                ])
            #expect(try await values("xattr.mime_type") == [.init(count: 4), .init(text: "a/b", count: 1)])
            #expect(try await values("target") == [.init(count: 4), .init(text: "../a", count: 1)])

            let listed = try await daemon.call(QueryInterface.Attributes.self, .init()).attributes.map(\.name)
            #expect(Set(listed).isSuperset(of: ["comment", "rating", "whereFrom", "target", "xattr.NAME"]))
        }
    }

    /// `trusted`, `security` and `system` are never told, not even their names.
    @Test(.needsRoot("attributes of other namespaces")) func `Only the namespace user is served`() async throws {
        try await DaemonFixture.run { daemon in
            try fill(daemon.directory)
            let top = try Directory.open(daemon.tree, access: .path)
            let list = AccessList(entries: [
                .init(.owner, [.read, .write]), .init(.user, .read, number: 1_234), .init(.owningGroup, .read),
                .init(.mask, .read), .init(.other, .read),
            ])
            for (name, value) in [
                ("trusted.secret", Array("hidden".utf8)), ("security.label", Array("hidden".utf8)),
                (AccessLists.attribute, list.bytes),
            ] {
                try value.withUnsafeBytes { try ExtendedAttributes.set(name, of: "a", in: top.number, to: $0) }
            }
            let names = ["secret", "label", "posix_acl_access"]
            let wanted = names + ["trusted.secret", "security.label", AccessLists.attribute, "user.trusted.secret"]
            for name in wanted { #expect(try await daemon.find("xattr['\(name)'] != nil") == [], "\(name)") }
            let item = try #require(
                try await daemon.call(
                    QueryInterface.Find.self,
                    .init(predicate: "name == 'a'", attributes: wanted.map { "xattr." + $0 } + ["xattr.mime_type"])
                ).items.first)
            #expect(item.extended == ["mime_type": "a/b"])
            for name in wanted {
                let values = try await daemon.call(
                    QueryInterface.Values.self, .init(predicate: "name == 'a'", attribute: "xattr." + name)
                ).values
                #expect(values == [.init(count: 1)], "\(name)")
            }
        }
    }

    @Test func `Nothing is read before it is asked for, and the container says what was`() async throws {
        try await DaemonFixture.run { daemon in
            try fill(daemon.directory)
            func tree() async throws -> ContainerDescription {
                try await daemon.call(ContainerInterface.Get.self, .init(identifier: "tree")).container
            }
            #expect(try await daemon.find("name == 'a'") == ["a"])
            let before = try await tree()
            #expect(before.filled == nil && before.filledBytes == nil)
            #expect(try await daemon.find("target != nil") == ["d/link"])
            let after = try await tree()
            #expect(after.filled == ["tags", "comment", "rating", "whereFrom", "target", "xattr.*"])
            #expect(try #require(after.filledBytes) > 16_384)
        }
    }

    @Test func `A question names so many of them and no more`() async throws {
        try await DaemonFixture.run { daemon in
            let names = (0...Limits.extendedAttributes).map { "xattr.n\($0)" }
            let taken = try await daemon.call(
                QueryInterface.Find.self, .init(predicate: "", attributes: Array(names.dropFirst())))
            #expect(taken.items.isEmpty)
            for request in [
                QueryInterface.Find.Request(predicate: "", attributes: names),
                QueryInterface.Find.Request(predicate: names.map { $0 + " == 'x'" }.joined(separator: " OR ")),
            ] {
                do {
                    _ = try await daemon.call(QueryInterface.Find.self, request)
                    Issue.record("taken")
                } catch { #expect("\(error)".contains("LimitExceeded")) }
            }
            do {
                _ = try await daemon.call(
                    QueryInterface.Find.self,
                    .init(predicate: "", attributes: ["xattr." + String(repeating: "x", count: 251)]))
                Issue.record("taken")
            } catch { #expect("\(error)".contains("UnknownAttribute")) }
        }
    }

    private static let followed = QueryInterface.Watch.Request(
        predicate: "comment != nil OR target != nil", attributes: ["path", "comment", "target", "xattr.a"])

    @Test func `They are followed as they change`() async throws {
        try await DaemonFixture.run { daemon in
            let tree = daemon.tree
            try fill(daemon.directory)
            let subscriber = try await Subscriber(daemon, Self.followed)
            try await subscriber.gather()
            func names() -> [String] { subscriber.items.values.map { String($0.dropFirst(tree.count + 1)) }.sorted() }
            func value(_ name: String) -> Item? { subscriber.values.values.first { $0.path == tree + "/" + name } }
            #expect(names() == ["a", "b", "d/link"])
            try set(daemon.directory, "c", ["xdg.comment": "new"])
            while names() != ["a", "b", "c", "d/link"] { try await subscriber.next() }
            try set(daemon.directory, "a", ["xdg.comment": nil])
            while names() != ["b", "c", "d/link"] { try await subscriber.next() }
            try set(daemon.directory, "c", ["a": "1"])
            while value("c")?.extended?["a"] != "1" { try await subscriber.next() }
            // Saved by renaming: the comment goes with the old file.
            try daemon.directory.write("new", to: "tree/b.new")
            #expect(rename(tree + "/b.new", tree + "/b") == 0)
            while names() != ["c", "d/link"] { try await subscriber.next() }
            #expect(rename(tree + "/c", tree + "/d/c") == 0)
            while names() != ["d/c", "d/link"] { try await subscriber.next() }
            #expect(value("d/c")?.comment == "new")
            #expect(unlink(tree + "/d/link") == 0 && symlink("elsewhere", tree + "/d/link") == 0)
            while value("d/link")?.target != "elsewhere" { try await subscriber.next() }
            #expect(subscriber.violations == [])
            await subscriber.close()
        }
    }

    @Test func `Those of a container that is added are told before a flush returns`() async throws {
        try await DaemonFixture.run { daemon in
            try daemon.directory.makeDirectory("more")
            let count = 4_000
            for number in 0..<count {
                let name = "more/f\(number)"
                try daemon.directory.write("x", to: name)
                try set(daemon.directory, "../" + name, ["xdg.comment": "of \(number)"])
            }
            let subscriber = try await Subscriber(
                daemon, .init(predicate: "comment != nil", attributes: ["path"], heartbeat: 1))
            try await subscriber.gather()
            let path = daemon.directory.path + "/more"
            _ = try await daemon.call(ContainerInterface.Add.self, .init(identifier: "more", path: path))
            let text = try await daemon.call(QueryInterface.Flush.self, .init()).clock
            let flushed = try #require(QueryClock(text: text))
            func isBehind() -> Bool {
                subscriber.lastClock.flatMap { QueryClock(text: $0) }.map { $0.sequence < flushed.sequence } ?? true
            }
            while isBehind() { try await subscriber.next() }
            #expect(subscriber.items.count == count && subscriber.violations == [])
            await subscriber.close()
        }
    }

    @Test func `Attributes that there is no room for are said to be missing`() async throws {
        var limits = ServiceLimits()
        limits.extraBytes = 150
        try await DaemonFixture.run(limits: limits) { daemon in
            for name in ["a", "b", "c", "d"] {
                try daemon.directory.write("x", to: "tree/" + name)
                try set(daemon.directory, name, ["xdg.comment": String(repeating: name, count: 40)])
            }
            let found = try await daemon.call(
                QueryInterface.Find.self, .init(predicate: "comment != nil", attributes: ["name"]))
            #expect((1...2).contains(found.items.count) && found.inexact == ["tree"])
            // Everything else is exact.
            let named = try await daemon.call(QueryInterface.Find.self, .init(predicate: "", attributes: ["name"]))
            #expect(named.items.count == 4 && named.inexact == nil)
            let tree = try await daemon.call(ContainerInterface.Get.self, .init(identifier: "tree")).container
            #expect(tree.state == .live && tree.reason?.contains("not kept") == true)
        }
    }

    @Test func `Attributes read before a restart are read with the rest after it`() async throws {
        let directory = try TemporaryDirectory()
        try directory.makeDirectory("tree")
        try fill(directory)
        try await DaemonFixture.run(directory: directory) { daemon in
            let found = try await daemon.find("comment == 'good'")
            #expect(found == ["a"])
        }
        try set(directory, "a", ["xdg.comment": "better"])
        try await DaemonFixture.run(directory: directory) { daemon in
            #expect(try await daemon.find("name == 'a'") == ["a"])
            // No caller has asked for them in this run.
            let tree = try await daemon.call(ContainerInterface.Get.self, .init(identifier: "tree")).container
            #expect(tree.filled?.contains("comment") == true && tree.reason == nil)
            let found = try await daemon.call(
                QueryInterface.Find.self, .init(predicate: "comment != nil", attributes: ["comment"], sync: false))
            #expect(Set(found.items.compactMap(\.comment)) == ["better", "bad"] && found.inexact == nil)
        }
    }

    @Test func `A restart tells exactly what changed meanwhile`() async throws {
        let directory = try TemporaryDirectory()
        try directory.makeDirectory("tree")
        try fill(directory)
        var held: (items: [String: String], clock: String?) = ([:], nil)
        try await DaemonFixture.run(directory: directory) { daemon in
            let subscriber = try await Subscriber(daemon, Self.followed)
            try await subscriber.gather()
            held = (subscriber.items, subscriber.lastClock)
            #expect(held.items.count == 3)
            try await daemon.flush()
            while try await daemon.call(ServiceInterface.Status.self, .init()).snapshotTime == nil {
                await Task.yield()
            }
            await subscriber.close()
        }
        try set(directory, "a", ["xdg.comment": nil])
        try set(directory, "d/e", ["xdg.comment": "more"])
        try await DaemonFixture.run(directory: directory) { daemon in
            var request = Self.followed
            request.since = held.clock
            let back = try await Subscriber(daemon, request, holding: held.items)
            #expect(try await back.next().fresh != true)
            try await back.gather()
            #expect(
                back.items.values.map { String($0.dropFirst(daemon.tree.count + 1)) }.sorted() == [
                    "b", "d/e", "d/link",
                ])
            // Items that did not change are not told.
            #expect(back.values.values.compactMap(\.comment) == ["more"] && back.violations == [])
            #expect(try await daemon.find("comment == 'bad'") == ["b"])
            await back.close()
        }
    }
}
