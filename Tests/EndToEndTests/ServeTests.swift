// grocery serve: who may open the page.
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
}
