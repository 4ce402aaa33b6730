// Machines that ssh reaches: Debian's sshd, and a daemon for each.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import Glibc
import TestSupport
import Testing

/// Machines with names, each with a daemon of its own. Debian's ssh reaches Debian's sshd through a pipe (`sshd -i` as
/// ProxyCommand), so no port is needed. All run on this machine.
final class RemoteMachines: Sendable {
    static let server = "/usr/sbin/sshd"
    /// Whether this machine has the server, which has to be started by root.
    static var arePossible: Bool { access(server, X_OK) == 0 }

    private let directory: String
    private let daemons: [String: TestDaemon]

    /// Makes the machines, and starts their daemons.
    init(_ names: String...) async throws {
        directory =
            URL(filePath: NSTemporaryDirectory()).resolvingSymlinksInPath().path()
            + "gather-ssh-\(UUID().uuidString.prefix(8))"
        mkdir(directory, 0o700)
        // sshd ends without its empty directory.
        mkdir("/run/sshd", 0o755)
        for key in ["host", "user"] {
            let made = await ChildProcess(
                path: "/usr/bin/ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", "\(directory)/\(key)"]
            ).result()
            try #require(made.status == 0, "\(made.errors)")
        }
        var daemons: [String: TestDaemon] = [:]
        var config = """
            Host *
              User root
              IdentityFile \(directory)/user
              IdentitiesOnly yes
              UserKnownHostsFile \(directory)/known
              StrictHostKeyChecking no

            """
        let programs = URL(filePath: Product.gather.path).deletingLastPathComponent().path()
        for name in names {
            let daemon = try await TestDaemon()
            daemons[name] = daemon
            try Change.write(
                """
                HostKey \(directory)/host
                AuthorizedKeysFile \(directory)/user.pub
                PidFile none
                StrictModes no
                UsePAM yes
                PasswordAuthentication no
                PermitRootLogin prohibit-password
                SetEnv GATHER_SOCKET=\(daemon.socket.path) GATHER_ANSWER_SECONDS=\(Patience.seconds) PATH=\(programs):/usr/bin:/bin

                """, to: "\(directory)/\(name).conf")
            config += """
                Host \(name)
                  ProxyCommand \(RemoteMachines.server) -i -f \(directory)/\(name).conf

                """
        }
        // ssh says nothing itself, where its own first line finds the command ended.
        config += """
            Host away
              ProxyCommand echo "no way to it" >&2; false

            """
        try Change.write(config, to: directory + "/config")
        self.daemons = daemons
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    /// The variables with which `gather` reaches the machines.
    var environment: [String: String] { ["GATHER_SSH": program.joined(separator: " ")] }

    /// The program that reaches the machines.
    var program: [String] { ["ssh", "-F", directory + "/config"] }

    /// The daemon of a machine.
    subscript(name: String) -> TestDaemon {
        get throws { try #require(daemons[name]) }
    }

    /// Starts `gather`.
    func start(_ arguments: String...) -> ChildProcess { ChildProcess(.gather, arguments, environment: environment) }

    /// Runs `gather` to its end.
    func gather(_ arguments: String...) async -> ChildProcess.Result {
        await ChildProcess(.gather, arguments, environment: environment).result()
    }
}
