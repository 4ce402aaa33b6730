// A directory server that hangs.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

@testable import GatherService

/// A directory server that hangs for accounts from a number on, until ``answer()``.
final class HangingDirectory: Sendable {
    private struct Requests {
        var present = 0
        var most = 0
    }

    private let first: UInt32
    /// Look-ups wait for the end of this pipe.
    private let answers: (read: CInt, write: CInt)
    /// Each look-up that hangs writes a byte into this pipe.
    private let begun: (read: CInt, write: CInt)
    private let requests = Mutex(Requests())

    init(from first: UInt32) {
        self.first = first
        answers = Self.pipe()
        begun = Self.pipe()
    }

    private static func pipe() -> (read: CInt, write: CInt) {
        var ends: [CInt] = [0, 0]
        Glibc.pipe(&ends)
        return (ends[0], ends[1])
    }

    func answer() { close(answers.write) }

    /// Waits until a look-up hangs.
    func waitForRequest() {
        var byte: UInt8 = 0
        _ = read(begun.read, &byte, 1)
    }

    /// The most look-ups that hung at the same time.
    var mostRequests: Int { requests.withLock(\.most) }

    private func name(_ number: UInt32) -> [UInt8]? {
        if number < first { return nil }
        requests.withLock {
            $0.present += 1
            $0.most = max($0.most, $0.present)
        }
        defer { requests.withLock { $0.present -= 1 } }
        var byte: UInt8 = 0
        _ = write(begun.write, &byte, 1)
        _ = read(answers.read, &byte, 1)
        return Array("late".utf8)
    }

    var directory: AccountDirectory { AccountDirectory(user: { self.name($0) }, group: { self.name($0) }) }
}
