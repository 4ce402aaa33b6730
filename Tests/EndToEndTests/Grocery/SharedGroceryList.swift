// A grocery list of several users, on a daemon that serves all of them.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport
import Testing

/// A user as whom `grocery` runs.
struct GroceryUser {
    let user: Int
    let groups: [Int]

    /// Whether this machine has the program that runs others as another user.
    static var canBecome: Bool { Glibc.access("/usr/bin/setpriv", X_OK) == 0 }
}

/// A daemon as the system's, with one container whose directory has the given group and mode.
final class SharedGroceryList: Sendable {
    private let directory: String
    private let box: String
    private let socket: String
    private let program: String
    private let daemon: ChildProcess

    init(owner: uid_t = 0, group: gid_t, mode: mode_t) async throws {
        directory = "/tmp/gather-\(UUID().uuidString.prefix(8))"
        box = directory + "/box"
        socket = directory + "/run/io.gatherd"
        // Other users have to reach the program wherever it was built.
        program = directory + "/grocery"
        for path in [directory, box] { mkdir(path, 0o755) }
        try FileManager.default.copyItem(atPath: Product.grocery.path, toPath: program)
        for path in [directory, program] { chmod(path, 0o755) }
        chown(box, owner, group)
        chmod(box, mode)
        let notifications = try NotifySocket(path: directory + "/notify")
        daemon = ChildProcess(
            .gatherd, ["--state-directory", directory + "/state", "--container", "grocery=\(box)"],
            environment: [
                "NOTIFY_SOCKET": directory + "/notify", "RUNTIME_DIRECTORY": directory + "/run",
                "CONFIGURATION_DIRECTORY": directory + "/etc",
            ])
        try await notifications.wait(for: "READY=1")
        chmod(directory + "/run", 0o755)
        chmod(socket, 0o666)
    }

    deinit {
        daemon.kill(SIGKILL)
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// Runs `grocery` as a user with the usual umask and without capabilities.
    func grocery(as user: GroceryUser, _ arguments: String) async -> ChildProcess.Result {
        await ChildProcess(
            path: "/usr/bin/setpriv",
            [
                "--reuid=\(user.user)", "--regid=\(user.groups[0])",
                "--groups=\(user.groups.map(String.init).joined(separator: ","))", "--inh-caps=-all", "/bin/sh", "-c",
                "umask 022; exec \(program) \(arguments)",
            ], environment: ["GATHER_SOCKET": socket]
        ).result()
    }

    /// The files of the items.
    func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: box + "/Documents").sorted()
    }

    /// The owner, group and permissions of an item's file.
    func access(_ file: String) throws -> [UInt32] {
        var status = stat()
        try #require(stat(box + "/Documents/" + file, &status) == 0)
        return [status.st_uid, status.st_gid, status.st_mode & 0o7777]
    }
}
