// The place of the sharing helper's socket.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import GatherKit

struct SharingSocketTests {
    private func socket(
        _ choice: DaemonSocket.Choice = .automatic, _ environment: [String: String], exists: Set<String> = []
    ) -> SharingSocket {
        SharingSocket.find(choice, environment: { environment[$0] }, exists: exists.contains)
    }

    private let user = "/run/user/7/gather-syncd/io.gatherd.Sharing"
    private let system = "/run/gather-syncd/io.gatherd.Sharing"
    private let session = ["XDG_RUNTIME_DIR": "/run/user/7"]

    @Test func variableComesFirst() {
        let environment = session.merging(["GATHER_SYNC_SOCKET": "/tmp/s"]) { $1 }
        #expect(socket(.automatic, environment, exists: [user, system]).path == "/tmp/s")
        #expect(socket(.user, environment).path == user)
        #expect(socket(.system, environment, exists: [user]).path == system)
        let empty = session.merging(["GATHER_SYNC_SOCKET": ""]) { $1 }
        #expect(socket(.automatic, empty, exists: [user, system]).path == user)
    }

    @Test func userSocketIsTakenIfItExists() {
        #expect(socket(.automatic, session, exists: [user, system]).path == user)
        #expect(socket(.automatic, session, exists: [system]).path == system)
        #expect(socket(.automatic, session).path == system)
        #expect(socket(.automatic, [:]).path == system)
    }

    @Test func withoutARuntimeDirectoryTheUsersIsInTheDirectoryForState() {
        let own = "/home/ana/.local/state/gather-syncd/io.gatherd.Sharing"
        #expect(socket(.user, ["HOME": "/home/ana"]).path == own)
        #expect(socket(.automatic, ["HOME": "/home/ana"], exists: [own]).path == own)
        #expect(socket(.automatic, ["HOME": "/home/ana"].merging(session) { $1 }, exists: [own]).path == own)
        let daemon = "/home/ana/.local/state/gatherd/io.gatherd"
        #expect(socket(.automatic, ["HOME": "/home/ana"], exists: [daemon]).path == own)
        #expect(socket(.user, ["HOME": "/home/ana"], exists: ["/run/systemd/system"]).startCommand == "gather-syncd")
    }

    /// A user whose daemon is their own starts a helper of their own.
    @Test func helperOfARunningUserDaemonIsTheUsers() {
        let daemon = "/run/user/7/gatherd/io.gatherd"
        #expect(socket(.automatic, session, exists: [daemon]).path == user)
        #expect(socket(.automatic, session, exists: [daemon, system]).path == system)
    }

    @Test func messageTellsHowToStartIt() {
        let systemd = "/run/systemd/system"
        for (choice, exists, command) in [
            (DaemonSocket.Choice.user, Set([systemd]), "systemctl --user start gather-syncd"),
            (.user, [], "gather-syncd"), (.system, [systemd], "sudo systemctl start gather-syncd"),
            (.system, [], "sudo gather-syncd"),
        ] {
            let found = socket(choice, session, exists: exists)
            #expect(found.startCommand == command)
            for code in [ENOENT, ECONNREFUSED] {
                let error = found.unreachable(code)
                #expect(error.code == .unreachable && error.subject == found.path)
                #expect(error.message.hasSuffix("no helper listens there. Start it with: \(command)"))
            }
        }
        #expect(SharingSocket(path: "/a b").startCommand == "gather-syncd --socket '/a b'")
        #expect(socket(.system, session).unreachable(EACCES).message.contains("sudo"))
        #expect(SharingSocket(path: "/tmp/s").unreachable(EACCES).message.contains("ls -l /tmp/s"))
    }
}
