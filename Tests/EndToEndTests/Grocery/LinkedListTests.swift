// Links in place of folders of a shared list: the programs read, make, change and move nothing behind them.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherDocuments
import GatherKit
import Glibc
import Synchronization
import TestSupport
import Testing

struct LinkedListTests {
    /// The folders that another user may exchange for links.
    private static let levels = [
        "Documents", "Documents/party.gro", "Documents/party.gro/items", "Documents/party.gro/images", "Documents/q",
        ".gather", ".gather/trash", ".gather/key-values",
    ]

    /// A list as a package with two items, a picture, versions in conflict and a trash, and a private folder of the same form.
    private final class World: Sendable {
        let daemon: TestDaemon
        let bread: String
        let outside: PrivateFolder
        let privatePath: String
        private let before: [String: String]

        init() async throws {
            let daemon = try await TestDaemon()
            self.daemon = daemon
            privatePath = daemon.directory + "/private"
            try Data([0xFF, 0xD8, 0xFF, 0xE0]).write(to: URL(filePath: daemon.directory + "/picture.jpg"))
            for words in [
                ["add", "Bread", "Milk", "Eggs"], ["convert", "--to-package", "party"],
                ["image", "bread", daemon.directory + "/picture.jpg"], ["settings", "--sort", "modified"],
                ["remove", "eggs"],
            ] {
                let result = await daemon.grocery(words + ["--list", "party"])
                #expect(result.status == 0, "\(words): \(result.errors)")
            }
            let items = daemon.box + "/Documents/party.gro/items"
            let found = try FileManager.default.contentsOfDirectory(atPath: items)
            try #require(found.count == 2, "\(found)")
            bread = try #require(
                found.first { try String(contentsOfFile: items + "/" + $0, encoding: .utf8).hasPrefix("Bread") })
            try Change.write(
                "Brown bread\n", to: "\(items)/\(bread).sync-conflict-20261101-120000-ABCDEFG")
            try FileManager.default.createDirectory(
                atPath: daemon.box + "/Documents/q", withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: daemon.box, toPath: privatePath)
            for path in FileManager.default.enumerator(atPath: privatePath)?.compactMap({ $0 as? String }) ?? [] {
                guard let text = try? String(contentsOfFile: privatePath + "/" + path, encoding: .utf8) else {
                    continue
                }
                try Change.write("\(PrivateFolder.marker) \(text)", to: privatePath + "/" + path)
            }
            before = World.tree(privatePath)
            outside = PrivateFolder(privatePath)
            try await daemon.client.flush()
        }

        private static func tree(_ path: String) -> [String: String] {
            var found: [String: String] = [:]
            for name in FileManager.default.enumerator(atPath: path)?.compactMap({ $0 as? String }) ?? [] {
                var status = stat()
                lstat(path + "/" + name, &status)
                let contents = FileManager.default.contents(atPath: path + "/" + name)
                found[name] =
                    "\(status.st_ino) \(status.st_mode) \(status.st_size) \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec) "
                    + "\(status.st_ctim.tv_sec).\(status.st_ctim.tv_nsec) \(contents?.hashValue ?? 0)"
            }
            return found
        }

        /// Whether the private folder is as it was, and was not read.
        func expectUntouched(_ comment: String) {
            let events = outside.events()
            #expect(events.isEmpty, "\(comment): \(events.prefix(5))")
        }

        func expectSame(_ comment: String) {
            expectUntouched(comment)
            #expect(World.tree(privatePath) == before, "\(comment)")
            _ = outside.events()
        }

        func path(_ level: String) -> String { daemon.box + "/" + level }

        /// Puts a link to its private twin beside a folder.
        func makeLink(_ level: String) throws { try Change.symlink(privatePath + "/" + level, path(level) + ".link") }

        /// Exchanges a folder and the link beside it.
        func exchange(_ level: String) throws { try Change.exchange(path(level), path(level) + ".link") }

        /// Exchanges them back, or moves a folder back that a program has moved or made meanwhile.
        func putBack(_ level: String) throws {
            try exchange(level)
            try Change.remove(path(level) + ".link")
        }
    }

    // MARK: Commands

    private static let commands: [[String]] = [
        ["list"], ["show", "bread"], ["export"], ["lists"], ["add", "Tea"], ["buy", "bread"],
        ["rename", "milk", "Oat milk"],
        ["image", "milk", "PICTURE"], ["image", "bread", "--remove"], ["resolve", "bread"],
        ["resolve", "bread", "--keep", "2"],
        ["undo"], ["remove", "bread"], ["remove", "milk"], ["settings", "--group", "none"], ["conflicts"],
    ]
    private static let conversions: [[String]] = [
        ["convert", "--to-folder", "q"], ["convert", "--to-documents"], ["convert", "--to-package", "q"],
    ]

    private func run(_ world: World, _ words: [String], _ level: String) async {
        let words = words.map { $0 == "PICTURE" ? world.daemon.directory + "/picture.jpg" : $0 }
        let result = await world.daemon.grocery(words + ["--list", "party"])
        #expect(!(result.text + result.errors).contains(PrivateFolder.marker), "\(level) \(words)")
        world.expectUntouched("\(level): grocery \(words): \(result.errors)")
    }

    @Test(arguments: levels) func commandsUseNothingBehindALink(level: String) async throws {
        let world = try await World()
        for words in Self.commands + Self.conversions {
            try world.makeLink(level)
            try world.exchange(level)
            await run(world, words, level)
            try world.putBack(level)
            try await world.daemon.client.flush()
        }
        world.expectSame(level)
    }

    @Test(arguments: ["Documents", "Documents/party.gro"]) func aFolderWithoutPermissionIsNotAway(level: String)
        async throws
    {
        let world = try await World()
        chmod(world.path(level), 0)
        defer { chmod(world.path(level), 0o755) }
        for words in [["add", "Tea"], ["remove", "bread"], ["undo"]] {
            let result = await world.daemon.grocery(words + ["--list", "party"])
            #expect(result.status != 0 && !result.errors.contains("is away"), "\(words): \(result.errors)")
            #expect(result.errors.contains("Permission denied"), "\(words): \(result.errors)")
        }
    }

    @Test(arguments: levels) func conflictsAreResolvedBehindNoLink(level: String) async throws {
        let world = try await World()
        let (daemon, bread) = (world.daemon, world.bread)
        let file = "\(daemon.box)/Documents/party.gro/items/\(bread)"
        try world.makeLink(level)
        try world.exchange(level)
        for words in [
            ["resolve", "--identical"], ["resolve", "--keep", "both"], ["resolve", "--keep", "1"],
            ["resolve", "--keep", "current"],
            ["resolve", "--keep", "newest", "--delete"], ["resolve", "--tool", "cp /dev/null"],
        ] {
            for path in [file, file + ".sync-conflict-20261101-120000-ABCDEFG"] {
                let result = await ChildProcess(
                    .gather, ["conflicts"] + words + ["--socket", daemon.socket.path, path]
                ).result()
                #expect(!(result.text + result.errors).contains(PrivateFolder.marker), "\(words)")
                world.expectUntouched("\(level): \(words): \(result.errors)")
                if level == "Documents" || level.hasPrefix("Documents/party.gro"), !level.hasSuffix("images") {
                    #expect(
                        result.status == 1 && result.errors.contains("\(level) is a symbolic link"), "\(result.errors)")
                }
            }
        }
        let list = await daemon.gather("conflicts")
        #expect(!list.text.contains(PrivateFolder.marker))
        world.expectSame(level)
    }

    // MARK: The page

    /// Sends a request, and returns the whole answer.
    private static func send(
        _ port: Substring, _ token: Substring, _ method: String, _ path: String, _ body: String = ""
    ) async
        -> String
    {
        let script = #"""
            exec 3<>"/dev/tcp/127.0.0.1/$0" || exit
            printf '%s' "$1" >&3
            cat <&3
            """#
        let request =
            "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nAuthorization: Bearer \(token)\r\n"
            + "X-Grocery-Browser: b\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        return await ChildProcess(path: "/bin/bash", ["-c", script, String(port), request]).result().text
    }

    private func requests(_ id: String) -> [(method: String, path: String, body: String)] {
        let edit = #"{"base":{"name":"Bread","bought":false},"mine":{"bought":true}}"#
        return [
            ("GET", "/api/items", ""), ("GET", "/api/contents", ""), ("GET", "/api/items/\(id)", ""),
            ("GET", "/api/items/\(id)/picture", ""), ("GET", "/api/items/\(id)/versions", ""),
            ("PUT", "/api/items/\(id)", edit), ("DELETE", "/api/items/\(id)/picture", "{}"),
            ("POST", "/api/items", #"{"id":"\#(UUID().uuidString)","mine":{"name":"Tea"}}"#),
            ("POST", "/api/items/\(id)/resolve", #"{"keep":"both"}"#), ("POST", "/api/undo", "{}"),
            ("POST", "/api/remove", #"{"ids":["\#(id)"]}"#),
        ]
    }

    private func server(_ world: World) async throws -> (ChildProcess, port: Substring, token: Substring) {
        let server = ChildProcess(
            .grocery,
            ["serve", "--socket", world.daemon.socket.path, "--container", "box", "--list", "party", "--port", "0"],
            environment: ["XDG_STATE_HOME": world.daemon.directory + "/home"])
        let link = try #require(await server.nextLine())
        let parts = try #require(link.wholeMatch(of: /http:\/\/127\.0\.0\.1:(\d+)\/#token=([\w-]{32})/))
        return (server, parts.1, parts.2)
    }

    /// The page keeps a change that gets a status of 500 and above, and sends it again.
    @Test(arguments: levels) func thePageGetsNothingBehindALinkAndKeepsItsChanges(level: String) async throws {
        let world = try await World()
        let id = String(world.bread.dropFirst("Item_".count))
        let (server, port, token) = try await server(world)
        let isOfItems = ["Documents", "Documents/party.gro", "Documents/party.gro/items"].contains(level)
        for request in requests(id) {
            try world.makeLink(level)
            try world.exchange(level)
            let answer = await Self.send(port, token, request.method, request.path, request.body)
            #expect(!answer.contains(PrivateFolder.marker), "\(level): \(request)")
            world.expectUntouched("\(level): \(request): \(answer)")
            if isOfItems, request.method != "GET", request.path != "/api/undo" {
                #expect(answer.hasPrefix("HTTP/1.1 503 "), "\(level): \(request): \(answer)")
            }
            try world.putBack(level)
            try await world.daemon.client.flush()
        }
        world.expectSame(level)
        if isOfItems {
            let removal = await Self.send(port, token, "POST", "/api/remove", #"{"ids":["\#(id)"]}"#)
            #expect(removal.contains(#"{"removed":["\#(id)"]}"#), "\(removal)")
        }
        server.kill(SIGTERM)
        let end = await server.result()
        #expect(end.status == 0, "\(end.errors)")
    }

    // MARK: At random

    /// Exchanges folders for links, one at a time, until it is told to end. All folders have their places then.
    private static func exchange(_ world: World, seed: UInt64, while isWanted: @escaping @Sendable () -> Bool) -> Thread
    {
        let thread = Thread {
            var generator = SeededGenerator(seed: seed)
            while isWanted() {
                let level = levels.randomElement(using: &generator) ?? levels[0]
                // A program may be moving the folder.
                guard (try? world.exchange(level)) != nil else { continue }
                for _ in 0..<Int.random(in: 0..<2_000, using: &generator) { sched_yield() }
                while (try? world.exchange(level)) == nil {}
            }
        }
        thread.start()
        return thread
    }

    @Test(arguments: TestLength.seeds(2, long: 40))
    func twoUsersEditWhileFoldersAreExchangedForLinks(seed: UInt64) async throws {
        let world = try await World()
        let id = String(world.bread.dropFirst("Item_".count))
        let (server, port, token) = try await server(world)
        for level in Self.levels { try world.makeLink(level) }
        let isWanted = Atomic(true)
        let thread = Self.exchange(world, seed: seed) { isWanted.load(ordering: .relaxed) }
        let file = "\(world.daemon.box)/Documents/party.gro/items/\(world.bread)"
        _ = try await Container(identifier: "box", daemon: world.daemon.client.daemon)
        await withTaskGroup(of: Void.self) { group in
            // A browser.
            group.addTask { [self] in
                var generator = SeededGenerator(seed: seed, 1)
                for _ in 0..<40 {
                    guard let request = requests(id).randomElement(using: &generator) else { continue }
                    let answer = await Self.send(port, token, request.method, request.path, request.body)
                    #expect(!answer.contains(PrivateFolder.marker), "seed \(seed): \(request)")
                }
            }
            // A program that uses the library.
            group.addTask {
                var generator = SeededGenerator(seed: seed, 2)
                let trash = Trash(container: FilePath(world.daemon.box))
                for number in 0..<400 {
                    let path = FilePath(file)
                    var read: [UInt8] = []
                    switch Int.random(in: 0..<7, using: &generator) {
                    case 0: read = (try? FileVersion.current(of: path)?.contents()) ?? []
                    case 1: read = (try? FileVersion.conflicts(of: path).flatMap { try $0.contents() }) ?? []
                    case 2: _ = try? FileVersion.add(Array("Version \(number)\n".utf8), to: path)
                    case 3: _ = try? FileVersion.conflicts(of: path).last?.move(to: trash)
                    case 4: _ = try? trash.keep(Array("Kept \(number)\n".utf8), of: path)
                    case 5: _ = try? trash.items(of: path).first.map { try trash.restore($0) }
                    default: _ = try? trash.move(path)
                    }
                    #expect(!String(decoding: read, as: UTF8.self).contains(PrivateFolder.marker), "seed \(seed)")
                }
            }
            // The commands.
            group.addTask {
                var generator = SeededGenerator(seed: seed, 3)
                for _ in 0..<15 {
                    guard let words = Self.commands.randomElement(using: &generator) else { continue }
                    let result = await world.daemon.grocery(
                        words.map { $0 == "PICTURE" ? world.daemon.directory + "/picture.jpg" : $0 } + [
                            "--list", "party",
                        ])
                    #expect(!(result.text + result.errors).contains(PrivateFolder.marker), "seed \(seed): \(words)")
                }
            }
        }
        isWanted.store(false, ordering: .relaxed)
        while !thread.isFinished { await Task.yield() }
        world.expectSame("seed \(seed)")
        server.kill(SIGTERM)
        let end = await server.result()
        #expect(end.status == 0, "\(end.errors)")
    }
}
