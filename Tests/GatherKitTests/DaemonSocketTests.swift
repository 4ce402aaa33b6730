// Where the daemon is looked for.
// SPDX-License-Identifier: Apache-2.0

import Foundation
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
        let session = "/run/user/\(getuid())"
        #expect(path(.automatic, [:], exists: [session, session + "/gatherd/io.gatherd"]).hasPrefix(session))
    }

    /// As after su(1), where no session made a directory.
    @Test func withoutARuntimeDirectoryTheUsersIsInTheDirectoryForState() {
        let own = "/home/ana/.local/state/gatherd/io.gatherd"
        let session = "/run/user/\(getuid())/gatherd/io.gatherd"
        #expect(path(.user, ["HOME": "/home/ana"]) == own)
        #expect(path(.automatic, ["HOME": "/home/ana"], exists: [own]) == own)
        #expect(path(.automatic, ["HOME": "/home/ana"]) == system)
        #expect(path(.user, ["HOME": "/home/ana", "XDG_STATE_HOME": "/state"]) == "/state/gatherd/io.gatherd")
        // It is found in a session, too.
        #expect(path(.automatic, ["HOME": "/home/ana", "XDG_RUNTIME_DIR": "/run/user/7"], exists: [own]) == own)
        #expect(
            path(.automatic, ["HOME": "/home/ana", "XDG_RUNTIME_DIR": "/run/user/7"], exists: [own, user]) == user)
        #expect(path(.user, ["HOME": "/home/ana"], exists: ["/run/user/\(getuid())"]) == session)
        // Without a session there is no manager of the user's units.
        let advice = DaemonSocket.find(
            .user, environment: { ["HOME": "/home/ana"][$0] }, exists: { $0 == "/run/systemd/system" })
        #expect(advice.startCommand == "gatherd")
    }

    /// A directory for state outlives a restart of the machine.
    @Test func aSocketThatAKilledDaemonLeftIsNone() throws {
        let state = NSTemporaryDirectory() + "gather-\(UUID().uuidString.prefix(8))"
        defer { try? FileManager.default.removeItem(atPath: state) }
        try FileManager.default.createDirectory(atPath: state + "/gatherd", withIntermediateDirectories: true)
        let own = state + "/gatherd/io.gatherd"
        func found() -> String {
            DaemonSocket.find(.automatic, environment: { ["XDG_STATE_HOME": state][$0] }, exists: { $0 == own }).path
        }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: own.utf8) }
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0 && listen(listener, 1) == 0)
        #expect(found() == own)
        close(listener)
        #expect(access(own, F_OK) == 0 && found() == system)
    }

    @Test func `A choice is a choice`() {
        let environment = ["GATHER_SOCKET": "/tmp/s", "XDG_RUNTIME_DIR": "/run/user/7"]
        #expect(path(.user, environment) == user)
        #expect(path(.system, environment, exists: [user]) == system)
    }

    @Test func adviceFitsTheMachine() {
        func advice(_ choice: DaemonSocket.Choice, systemd: Bool, _ code: Int32 = ENOENT) -> String {
            var there: Set<String> = ["/run/user/\(getuid())"]
            if systemd { there.insert("/run/systemd/system") }
            return DaemonSocket.find(choice, environment: { _ in "/tmp" }, exists: there.contains).unreachable(code)
                .message
        }
        #expect(
            advice(.system, systemd: true)
                .hasSuffix("no daemon listens there. Start it with: sudo systemctl start gatherd"))
        let command = "gatherd --container NAME=/DIRECTORY"
        #expect(advice(.system, systemd: false).hasSuffix("no daemon listens there. Start it with: sudo \(command)"))
        let automatic = DaemonSocket.find(.automatic, environment: { _ in nil }, exists: { _ in false })
        #expect(automatic.unreachable(ENOENT).message.hasSuffix("Start it with: \(command)"))
        #expect(advice(.user, systemd: true, ECONNREFUSED).hasSuffix("Start it with: systemctl --user start gatherd"))
        #expect(advice(.user, systemd: false, ECONNREFUSED).hasSuffix("Start it with: gatherd"))
        #expect(DaemonSocket(path: "/a b").unreachable(ENOENT).message.contains("gatherd --socket '/a b'"))
    }

    @Test func missingPermissionIsExplainedByTheKindOfSocket() {
        #expect(DaemonSocket(path: system).unreachable(EACCES).message.contains("adduser"))
        let own = DaemonSocket.find(.user, environment: { _ in "/run/user/7" }, exists: { _ in true })
        #expect(own.unreachable(EACCES).message.contains("XDG_RUNTIME_DIR must name a directory of this user"))
        let other = DaemonSocket(path: "/tmp/s").unreachable(EACCES).message
        #expect(other.contains("ls -l /tmp/s") && !other.contains("adduser"))
    }

    @Test func aNamedRuntimeDirectoryThatIsMissingIsToldOf() {
        let own = DaemonSocket.find(.user, environment: { _ in "/nowhere/7" }, exists: { _ in true })
        #expect(own.unreachable(ENOENT).message.contains("the runtime directory /nowhere/7 does not exist"))
    }

    @Test func aFileThatIsNoSocketIsNamed() {
        let file = DaemonSocket(path: "/etc/passwd").unreachable(ECONNREFUSED).message
        #expect(file.hasPrefix("/etc/passwd is no socket"))
    }
}
