// Where the daemon is looked for.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import GatherKit

struct DaemonSocketTests {
    private func path(
        _ choice: DaemonSocket.Choice = .automatic, _ environment: [String: String], exists: Set<String> = []
    ) -> String {
        DaemonSocket.find(choice, environment: { environment[$0] }, exists: exists.contains).path
    }

    private let user = "/run/user/7/gatherd/io.gatherd"
    private let system = "/run/gatherd/io.gatherd"

    @Test func `The variable comes first`() {
        let environment = ["GATHER_SOCKET": "/tmp/s", "XDG_RUNTIME_DIR": "/run/user/7"]
        #expect(path(.automatic, environment, exists: [user]) == "/tmp/s")
        #expect(path(.automatic, ["GATHER_SOCKET": "", "XDG_RUNTIME_DIR": "/run/user/7"], exists: [user]) == user)
    }

    @Test func `Then the user's where it exists, else the system's`() {
        #expect(path(.automatic, ["XDG_RUNTIME_DIR": "/run/user/7"], exists: [user]) == user)
        #expect(path(.automatic, ["XDG_RUNTIME_DIR": "/run/user/7"]) == system)
        #expect(path(.automatic, [:]) == system)
        #expect(path(.automatic, [:], exists: ["/run/user/\(getuid())/gatherd/io.gatherd"]).hasPrefix("/run/user/"))
    }

    @Test func `A choice is a choice`() {
        let environment = ["GATHER_SOCKET": "/tmp/s", "XDG_RUNTIME_DIR": "/run/user/7"]
        #expect(path(.user, environment) == user)
        #expect(path(.system, environment, exists: [user]) == system)
    }

    @Test func `Who cannot connect is told how to start it`() {
        #expect(DaemonSocket(path: system).unreachable(ENOENT).message.contains("sudo systemctl start gatherd"))
        #expect(
            DaemonSocket.find(.user, environment: { _ in nil }, exists: { _ in false }).unreachable(ECONNREFUSED)
                .message.contains("systemctl --user start gatherd"))
        #expect(DaemonSocket(path: "/a b").unreachable(ENOENT).message.contains("gatherd --socket '/a b'"))
        #expect(DaemonSocket(path: system).unreachable(EACCES).message.contains("adduser"))
    }
}
