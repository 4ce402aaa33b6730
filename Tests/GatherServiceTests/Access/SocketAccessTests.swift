// Users that may connect to a socket that the daemon binds.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import Logging
import TestSupport
import Testing

@testable import GatherService

struct SocketAccessTests {
    /// A group that every Debian has.
    private static let group = "users"
    private static let stranger = OtherUser(user: 41_071, group: 42_071)

    /// A tree with a file that only its owner may find, and a socket that everybody can reach.
    private static func directory(_ configuration: String = "") throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        chmod(directory.path, 0o755)
        try directory.makeDirectory("run")
        chmod(directory.path + "/run", 0o755)
        try directory.write("x", to: "tree/closed/secret")
        try directory.write("x", to: "tree/open")
        for path in ["/tree", "/tree/open"] { chmod(directory.path + path, 0o755) }
        chmod(directory.path + "/tree/closed", 0o700)
        if !configuration.isEmpty { try directory.write(configuration, to: "gatherd.toml") }
        return directory
    }

    @Test(.needsRoot("other users")) func strangerIsRefusedWhateverTheModeOfTheSocket() async throws {
        let log = LogRecorder()
        let directory = try Self.directory()
        try await DaemonFixture.run(directory: directory, log: log) { daemon in
            var status = stat()
            #expect(stat(daemon.socket, &status) == 0 && status.st_mode & 0o777 == 0o600)
            chmod(daemon.socket, 0o666)
            for _ in 0..<3 {
                let caller = try RawCaller(daemon, as: Self.stranger)
                #expect(caller.error() == "PermissionDenied")
                #expect(caller.isClosed)
            }
            let lines = log.all.filter { $0.contains("refused a connection of user \(Self.stranger.user)") }
            #expect(lines.count == 1, "\(log.all)")
            // Root is served as before.
            #expect(try await daemon.find("") == ["closed", "closed/secret", "open"])
        }
    }

    @Test(.needsRoot("other users")) func refusedUsersInTheLogAreBounded() async throws {
        let log = LogRecorder()
        let directory = try Self.directory()
        try await DaemonFixture.run(directory: directory, log: log) { daemon in
            chmod(daemon.socket, 0o666)
            for number in 0..<30 {
                let caller = try RawCaller(daemon, as: OtherUser(user: UInt32(41_100 + number), group: 42_071))
                #expect(caller.error() == "PermissionDenied")
            }
            #expect(log.all.count { $0.contains("refused a connection") } == 16)
        }
    }

    @Test(.needsRoot("other users")) func socketGroupSharesTheSocketAndCallersSeeWhatTheyMayList() async throws {
        let number = try #require(AccountNames.groupID(named: Self.group))
        let directory = try Self.directory("socket-group = \"\(Self.group)\"\n")
        try await DaemonFixture.run(directory: directory) { daemon in
            var status = stat()
            #expect(stat(daemon.socket, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o660 && status.st_gid == number)
            let member = OtherUser(user: 41_072, group: 42_071, groups: [number])
            let found = try await daemon.call(
                QueryInterface.Find.self, .init(predicate: "", attributes: ["name"]), as: member)
            #expect(Set(found.items.compactMap(\.name)) == ["closed", "open"])
            #expect(try await daemon.find("") == ["closed", "closed/secret", "open"])
            // The kernel keeps others out.
            #expect(throws: (any Error).self) { try Self.stranger.connect(path: daemon.socket) }
        }
    }

    @Test func socketGroupThatDoesNotExistIsNamed() async throws {
        let directory = try Self.directory("socket-group = \"no-such-group\"\n")
        await #expect {
            try await DaemonFixture.run(directory: directory) { _ in }
        } throws: { error in
            "\(error)".contains("there is no group 'no-such-group'") && "\(error)".contains("gatherd.toml")
        }
        #expect(!directory.exists("run/io.gatherd"))
    }
}
