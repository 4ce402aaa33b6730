// grocery serve: the users that may open the page.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import Glibc
import TestSupport
import Testing

struct ServeTests {
    private func serve(_ daemon: TestDaemon, _ options: String...) -> ChildProcess {
        ChildProcess(
            .grocery, ["serve", "--socket", daemon.socket.path, "--container", "box"] + options,
            environment: ["XDG_STATE_HOME": daemon.directory + "/home"])
    }

    /// Returns the status of the answer that any program on this machine gets, with this secret or without one.
    private func status(_ port: Substring, _ token: Substring? = nil) async -> String {
        let script = #"""
            exec 3<>"/dev/tcp/127.0.0.1/$0" || exit
            printf 'GET /api/items HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n%s\r\n' "$1" >&3
            read -r version status text <&3
            echo "$status"
            """#
        let field = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        return await ChildProcess(path: "/bin/bash", ["-c", script, String(port), field]).result().text
    }

    @Test func otherUsersOfThisMachineNeedTheLinkWhichOutlivesARestart() async throws {
        let daemon = try await TestDaemon()
        var server = serve(daemon, "--port", "0")
        let link = try #require(await server.nextLine())
        let parts = try #require(link.wholeMatch(of: /http:\/\/127\.0\.0\.1:(\d+)\/#token=([\w-]{32})/))
        let (port, token) = (parts.1, parts.2)
        #expect(await status(port) == "401\n")
        #expect(await status(port, token.dropLast() + "!") == "401\n")
        #expect(await status(port, token) == "200\n")
        server.kill(SIGTERM)
        #expect(await server.result().status == 0)

        server = serve(daemon, "--port", String(port))
        #expect(await server.nextLine() == link)
        #expect(await status(port) == "401\n")
        #expect(await status(port, token) == "200\n")
        server.kill(SIGTERM)
        #expect(await server.result().status == 0)

        server = serve(daemon, "--port", String(port), "--new-link")
        let other = try #require(await server.nextLine())
        #expect(other != link && other.hasPrefix("http://127.0.0.1:\(port)/#token="))
        #expect(await status(port, token) == "401\n")
        server.kill(SIGTERM)
        #expect(await server.result().status == 0)
    }

    /// A browser, as far as the server knows it.
    private struct Browser {
        let port: Substring
        let token: Substring
        let identifier: String

        func send(_ method: String, _ path: String, _ body: String = "") async -> String {
            let script = #"""
                exec 3<>"/dev/tcp/127.0.0.1/$0" || exit
                printf '%s' "$1" >&3
                cat <&3
                """#
            let request = """
                \(method) \(path) HTTP/1.1\r
                Host: 127.0.0.1\r
                Connection: close\r
                Authorization: Bearer \(token)\r
                X-Grocery-Browser: \(identifier)\r
                Content-Type: application/json\r
                Content-Length: \(body.utf8.count)\r
                \r
                \(body)
                """
            let text = await ChildProcess(path: "/bin/bash", ["-c", script, String(port), request]).result().text
            return text.components(separatedBy: "\r\n\r\n").dropFirst().joined(separator: "\r\n\r\n")
        }
    }

    @Test func eachBrowserTakesBackItsOwnChanges() async throws {
        let daemon = try await TestDaemon()
        let server = serve(daemon, "--port", "0")
        let link = try #require(await server.nextLine())
        let parts = try #require(link.wholeMatch(of: /http:\/\/127\.0\.0\.1:(\d+)\/#token=([\w-]{32})/))
        let (phone, tablet) = (
            Browser(port: parts.1, token: parts.2, identifier: "phone"),
            Browser(port: parts.1, token: parts.2, identifier: "tablet")
        )
        func add(_ browser: Browser, _ name: String) async -> String {
            await browser.send("POST", "/api/items", #"{"id":"\#(UUID().uuidString)","mine":{"name":"\#(name)"}}"#)
        }
        func grocery(_ words: String...) async -> ChildProcess.Result {
            await ChildProcess(
                .grocery, words + ["--socket", daemon.socket.path, "--container", "box"],
                environment: ["XDG_STATE_HOME": daemon.directory + "/home"]
            ).result()
        }
        #expect(await add(phone, "Bread").contains("saved"))
        #expect(await add(tablet, "Milk").contains("saved"))
        #expect(await grocery("add", "Tea").status == 0)
        let shown = await phone.send("GET", "/api/undo")
        #expect(shown.contains(#""action":"add Bread""#))
        #expect(
            await phone.send("POST", "/api/undo", #"{"undo":\#(shown)}"#) == #"{"undone":"add Bread","leftOut":[]}"#)
        #expect(await phone.send("GET", "/api/undo") == "{}")
        #expect(await grocery("undo").text == "undone: add Tea\n")
        #expect(await grocery("undo").errors == "grocery: there is nothing to undo\n")
        #expect(await tablet.send("POST", "/api/undo", "{}").contains("add Milk"))
        server.kill(SIGTERM)
        #expect(await server.result().status == 0)
    }

    // A page takes 404 for an item that is gone, and gives the change up. It keeps the change with 500.
    @Test func aLogOfChangesThatCannotBeReadIsNoMissingItem() async throws {
        let daemon = try await TestDaemon()
        let server = serve(daemon, "--port", "0")
        let link = try #require(await server.nextLine())
        let parts = try #require(link.wholeMatch(of: /http:\/\/127\.0\.0\.1:(\d+)\/#token=([\w-]{32})/))
        let phone = Browser(port: parts.1, token: parts.2, identifier: "phone")
        _ = await phone.send("POST", "/api/items", #"{"id":"\#(UUID().uuidString)","mine":{"name":"Milk"}}"#)
        #expect(await phone.send("GET", "/api/undo").contains("add Milk"))
        let logs = daemon.directory + "/home/gather/grocery"
        for name in try FileManager.default.contentsOfDirectory(atPath: logs) {
            let log = logs + "/" + name
            var isDirectory: ObjCBool = false
            guard FileManager.default.fileExists(atPath: log, isDirectory: &isDirectory), isDirectory.boolValue else {
                continue
            }
            try FileManager.default.removeItem(atPath: log)
            try Change.write("", to: log)
        }
        #expect(await phone.send("GET", "/api/undo").contains(#""error":"failed""#))
        #expect(await phone.send("POST", "/api/undo", "{}").contains(#""error":"failed""#))
        server.kill(SIGTERM)
        #expect(await server.result().status == 0)
    }

    @Test func anItemComesBackAsItWasRemovedAndNotWhileTheListIsAway() async throws {
        let daemon = try await TestDaemon()
        let server = serve(daemon, "--port", "0")
        let link = try #require(await server.nextLine())
        let parts = try #require(link.wholeMatch(of: /http:\/\/127\.0\.0\.1:(\d+)\/#token=([\w-]{32})/))
        let phone = Browser(port: parts.1, token: parts.2, identifier: String(repeating: "p", count: 40))
        func grocery(_ words: String...) async {
            _ = await ChildProcess(
                .grocery, words + ["--socket", daemon.socket.path, "--container", "box"],
                environment: ["XDG_STATE_HOME": daemon.directory + "/home"]
            ).result()
        }
        let id = UUID().uuidString
        _ = await phone.send("POST", "/api/items", #"{"id":"\#(id)","mine":{"name":"Milk","quantity":"1 l"}}"#)
        #expect(await phone.send("GET", "/api/undo").contains("add Milk"), "the longest identifier has a log, too")
        // Former contents in the trash are no removed item, whatever the clock of the device was that put them there.
        let trash = daemon.box + "/.gather/trash/20991231-235959/Documents"
        try FileManager.default.createDirectory(atPath: trash, withIntermediateDirectories: true)
        try Change.write("Old milk\n", to: trash + "/Item_\(id)")
        await grocery("rename", "milk", "Oat milk")
        await grocery("remove", "oat milk")
        let edit = #"{"base":{"name":"Milk","bought":false},"mine":{"bought":true}}"#
        #expect(await phone.send("PUT", "/api/items/\(id)", edit).contains(#""error":"removed""#))
        try FileManager.default.moveItem(atPath: daemon.box, toPath: daemon.box + ".away")
        for body in [edit, edit.replacing("{\"base", with: "{\"bringBack\":true,\"base")] {
            #expect(await phone.send("PUT", "/api/items/\(id)", body).contains(#""error":"away""#))
        }
        try FileManager.default.moveItem(atPath: daemon.box + ".away", toPath: daemon.box)
        let back = await phone.send(
            "PUT", "/api/items/\(id)", edit.replacing("{\"base", with: "{\"bringBack\":true,\"base"))
        #expect(back.contains(#""name":"Oat milk","quantity":"1 l","bought":true"#), "\(back)")
        server.kill(SIGTERM)
        #expect(await server.result().status == 0)
    }
}
