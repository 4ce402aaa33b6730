// A socket that answers like a daemon that reads a container, for as long as a test wants.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization
import TestSupport

/// Has one container, `box`, which is being read until somebody has looked at it so often: no real crawl can be had to last until
/// it was seen. The first look finds one item, the second two and so on; whatever is counted later, there are three.
final class CrawlingDaemon: Sendable {
    let path = NSTemporaryDirectory() + "gather-\(UUID().uuidString.prefix(8)).socket"

    private let crawlingLooks: Int
    private let looks = Mutex(0)
    private let listener: CInt

    /// How often the containers were asked for.
    var lookCount: Int { looks.withLock { $0 } }

    init(crawlingLooks: Int) {
        self.crawlingLooks = crawlingLooks
        listener = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        precondition(bound == 0 && listen(listener, 8) == 0, "cannot listen on \(path)")
        Thread.detachNewThread {
            while case let connection = accept(self.listener, nil, nil), connection >= 0 {
                Thread.detachNewThread {
                    self.serve(connection)
                    close(connection)
                }
            }
            close(self.listener)
        }
    }

    /// Ends accept(2), and with it the thread.
    func stop() {
        shutdown(listener, CInt(SHUT_RDWR))
        unlink(path)
    }

    private func serve(_ connection: CInt) {
        var pending: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4_096)
        while case let count = recv(connection, &chunk, chunk.count, 0), count > 0 {
            pending += chunk[..<count]
            while let end = pending.firstIndex(of: 0) {
                let reply = Array(reply(to: String(decoding: pending[..<end], as: UTF8.self)).utf8) + [0]
                pending.removeSubrange(...end)
                _ = send(connection, reply, reply.count, CInt(MSG_NOSIGNAL))
            }
        }
    }

    private func reply(to call: String) -> String {
        if call.contains("io.gatherd.Container.List") {
            let look = looks.withLock {
                $0 += 1
                return $0
            }
            return """
                {"parameters":{"containers":[{"identifier":"box","path":"/box",\
                "state":"\(look <= crawlingLooks ? "crawling" : "live")","origin":"argument","items":\(look),\
                "directories":1,"watches":1,"polled":0,"unreadable":0,"packages":[],"ignore":[],"clock":"c"}]}}
                """
        }
        if call.contains("io.gatherd.Query.Count") { return #"{"parameters":{"count":3,"clock":"c"}}"# }
        return #"{"error":"org.varlink.service.MethodNotFound","parameters":{"method":"x"}}"#
    }
}
