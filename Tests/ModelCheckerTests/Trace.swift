// The steps of a run, in order and not too many of them, for the reader of a failure.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The last operations of a run, of all threads.
final class Trace: Sendable {
    private static let linesAtMost = 20_000

    private let lines = Mutex<[String]>([])

    func note(_ line: @autoclosure () -> String) {
        let line = line()
        lines.withLock { lines in
            lines.append(line)
            if lines.count > 2 * Trace.linesAtMost { lines.removeFirst(Trace.linesAtMost) }
        }
    }

    var text: String { lines.withLock { $0.suffix(Trace.linesAtMost).joined(separator: "\n") + "\n" } }
}
