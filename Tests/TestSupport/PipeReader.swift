// The output of a program that a test runs.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Glibc
internal import Synchronization

/// The output of a pipe, kept whole and given out as lines. One task may wait for lines at a time.
final class PipeReader: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        /// Up to where lines have been given out.
        var taken = 0
        var isAtEnd = false
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    init(_ descriptor: CInt, closes: Bool = false) {
        Thread.detachNewThread { [self] in
            if closes {
                var byte: UInt8 = 0
                _ = Glibc.read(descriptor, &byte, 1)
            } else {
                read(descriptor)
            }
            close(descriptor)
            wake { $0.isAtEnd = true }
        }
    }

    private func read(_ descriptor: CInt) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            wake { $0.bytes += buffer[..<count] }
        }
    }

    private func wake(_ change: (inout State) -> Void) {
        let waiting = state.withLock { state in
            change(&state)
            return state.waiting.take()
        }
        waiting?.resume()
    }

    /// Ends all waits. A process that has inherited the other end may still hold it.
    func giveUp() { wake { $0.isAtEnd = true } }

    func nextLine() async -> String? {
        while true {
            let (line, isAtEnd, known) = state.withLock { state -> (String?, Bool, Int) in
                guard let end = state.bytes[state.taken...].firstIndex(of: UInt8(ascii: "\n")) else {
                    return (nil, state.isAtEnd, state.bytes.count)
                }
                let line = state.bytes[state.taken..<end]
                state.taken = end + 1
                return (String(decoding: line, as: UTF8.self), false, state.bytes.count)
            }
            if let line { return line }
            if isAtEnd { return nil }
            await change(since: known)
        }
    }

    func all() async -> [UInt8] {
        while true {
            let (isAtEnd, known) = state.withLock { ($0.isAtEnd, $0.bytes.count) }
            if isAtEnd { break }
            await change(since: known)
        }
        return state.withLock { $0.bytes }
    }

    /// Waits until there is more than `known` bytes, or the end.
    private func change(since known: Int) async {
        await withCheckedContinuation { continuation in
            let mustWait = state.withLock { state in
                guard !state.isAtEnd, state.bytes.count == known else { return false }
                precondition(state.waiting == nil, "one task reads at a time")
                state.waiting = continuation
                return true
            }
            if !mustWait { continuation.resume() }
        }
    }
}
