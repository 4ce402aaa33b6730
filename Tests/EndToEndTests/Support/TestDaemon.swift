// The real daemon on temporary directories.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import Glibc
import Synchronization
import TestSupport
import Testing

/// A `gatherd` of a test's own: its socket, state and containers lie in a temporary directory that goes with it.
final class TestDaemon: Sendable {
    /// The temporary directory, without symbolic links in its path.
    let directory: String
    /// The container's own directory; its identifier is `box`.
    let box: String
    let socket: DaemonSocket
    private let process: Mutex<ChildProcess>
    private let arguments: [String]

    var processID: pid_t { process.withLock { $0.processID } }

    var client: GatherClient { GatherClient(socket: socket) }

    /// Starts a daemon and waits until it is ready, as systemd would: it says so on `NOTIFY_SOCKET`.
    init(containers: [String] = ["box"], prepare: (String) throws -> Void = { _ in }) async throws {
        let name = "gather-\(UUID().uuidString.prefix(8))"
        let directory = URL(filePath: NSTemporaryDirectory()).resolvingSymlinksInPath().path() + name
        self.directory = directory
        box = directory + "/box"
        mkdir(directory, 0o700)
        for container in containers { mkdir(directory + "/" + container, 0o755) }
        try prepare(box)
        socket = DaemonSocket(path: directory + "/io.gatherd")
        arguments =
            ["--socket", socket.path, "--state-directory", directory + "/state"]
            + containers.flatMap { ["--container", "\($0)=\(directory)/\($0)"] }
        process = Mutex(try await TestDaemon.start(arguments, in: directory))
    }

    deinit {
        process.withLock { $0.kill(SIGKILL) }
        try? FileManager.default.removeItem(atPath: directory)
    }

    private static func start(_ arguments: [String], in directory: String) async throws -> ChildProcess {
        let notifications = try NotifySocket(path: directory + "/notify")
        let process = ChildProcess(.gatherd, arguments, environment: ["NOTIFY_SOCKET": directory + "/notify"])
        try await notifications.wait(for: "READY=1")
        return process
    }

    /// Returns when all that the daemon has read is saved: one that ends before it has saved anything goes on as a new one.
    func untilSaved() async throws {
        try await client.flush()
        while try await client.status().snapshotTime == nil { await Task.yield() }
    }

    /// Ends the daemon as a crash would, and returns when it is gone.
    func kill() async {
        let process = process.withLock { $0 }
        process.kill(SIGKILL)
        _ = await process.result()
    }

    /// Stops the daemon as a debugger would (SIGSTOP).
    func stop() { process.withLock { $0.kill(SIGSTOP) } }
    /// Lets a stopped daemon go on.
    func resume() { process.withLock { $0.kill(SIGCONT) } }

    /// Asks the daemon to end, and returns what came of it.
    func terminate() async -> ChildProcess.Result {
        let process = process.withLock { $0 }
        process.kill(SIGTERM)
        return await process.result()
    }

    func restart() async throws {
        let fresh = try await TestDaemon.start(arguments, in: directory)
        process.withLock { $0 = fresh }
    }

    /// Runs `gather` on this daemon.
    func gather(_ arguments: String..., input: String = "") async -> ChildProcess.Result {
        await ChildProcess(.gather, arguments + ["--socket", socket.path], input: input).result()
    }

    /// Runs `grocery` on this daemon's container `box`.
    func grocery(_ arguments: String...) async -> ChildProcess.Result { await grocery(arguments) }

    /// Runs `grocery` on this daemon's container `box`.
    func grocery(_ arguments: [String]) async -> ChildProcess.Result {
        // The undo log of the user who runs the tests is not for tests.
        await ChildProcess(
            .grocery, arguments + ["--socket", socket.path, "--container", "box"],
            environment: ["XDG_STATE_HOME": directory + "/home"]
        ).result()
    }
}

/// A datagram socket on which a service tells how it is (sd_notify(3)).
final class NotifySocket: Sendable {
    private let descriptor: CInt

    init(path: String) throws {
        unlink(path)
        descriptor = Glibc.socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(code == 0, "bind: \(String(cString: strerror(errno)))")
        // A daemon that could not start says nothing: then the test fails, and does not wait for ever.
        Patience.limit(descriptor)
    }

    /// Waits for a message with this assignment in it, and returns that.
    @discardableResult
    func wait(for assignment: String) async throws -> String {
        while true {
            let message = await next()
            try #require(!message.isEmpty, "the service did not say \(assignment)")
            if message.contains(assignment) { return message }
        }
    }

    deinit { close(descriptor) }

    func next() async -> String {
        let descriptor = descriptor
        return await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var bytes = [UInt8](repeating: 0, count: 4096)
                let count = recv(descriptor, &bytes, bytes.count, 0)
                continuation.resume(returning: String(decoding: bytes.prefix(max(0, count)), as: UTF8.self))
            }
        }
    }
}
