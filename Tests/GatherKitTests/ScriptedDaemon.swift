// A daemon that plays a script: plain sockets and text, so that what is tested against is not our own server.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization

@testable import GatherKit

/// Listens on a socket of its own, and plays one script for each connection, in the order in which they come.
final class ScriptedDaemon: Sendable {
    typealias Script = @Sendable (ScriptedConnection) -> Void

    let directory: String
    var path: String { directory + "/io.gatherd" }

    /// The last parameter of each question: the zone of this machine, where it has a name.
    static let zone = Search.timeZone.map { ",\"timeZone\":\"\($0)\"" } ?? ""

    private let listener = Mutex<CInt>(-1)

    init() {
        directory = NSTemporaryDirectory() + "gather-kit-\(UUID().uuidString)"
        mkdir(directory, 0o700)
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// Listens, and plays each of `scripts` on a thread of its own; a connection ends with its script.
    func start(_ scripts: Script...) {
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        unlink(path)
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        precondition(bound == 0 && listen(descriptor, 8) == 0, "cannot listen on \(path)")
        listener.withLock { $0 = descriptor }
        Thread.detachNewThread {
            for script in scripts {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0 else { return }
                Thread.detachNewThread {
                    let played = ScriptedConnection(descriptor: connection)
                    script(played)
                    close(connection)
                }
            }
        }
    }

    /// Closes the listening socket; connections go on.
    func stop() {
        listener.withLock {
            guard $0 >= 0 else { return }
            shutdown($0, CInt(SHUT_RDWR))
            close($0)
            $0 = -1
        }
        unlink(path)
    }
}

/// One connection, as the script sees it. Used by the script's thread only.
final class ScriptedConnection: @unchecked Sendable {
    private let descriptor: CInt
    private var pending: [UInt8] = []

    init(descriptor: CInt) { self.descriptor = descriptor }

    /// The next message, without its NUL; empty where the client is gone.
    func receive() -> String {
        while true {
            if let end = pending.firstIndex(of: 0) {
                let message = String(decoding: pending[..<end], as: UTF8.self)
                pending.removeSubrange(...end)
                return message
            }
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = recv(descriptor, &bytes, bytes.count, 0)
            guard count > 0 else { return "" }
            pending += bytes[..<count]
        }
    }

    /// Sends the parameters of a reply.
    func reply(_ parameters: String, continues: Bool = false) {
        send("{\"parameters\":\(parameters)\(continues ? ",\"continues\":true" : "")}")
    }

    /// Sends an error.
    func fail(_ name: String, _ parameters: String = "{}") {
        send("{\"error\":\"\(name)\",\"parameters\":\(parameters)}")
    }

    func send(_ message: String) {
        let bytes = Array(message.utf8) + [0]
        _ = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
    }

    /// Waits until the client closes the connection.
    func waitForEnd() { while receive() != "" {} }
}

/// A semaphore with which a test and a script wait for each other.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    func open() { semaphore.signal() }
    func wait() { semaphore.wait() }
}
