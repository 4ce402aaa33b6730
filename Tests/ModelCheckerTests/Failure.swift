// A run that went wrong, as it is told.
// SPDX-License-Identifier: Apache-2.0

/// A failure with its place, and how to see it again.
struct Failure: Error, CustomStringConvertible {
    var seed: UInt64
    var mode: Mode
    var round: Int
    var what: String
    /// The file with the operations that led there.
    var trace: String

    private var connections: String { mode.connections.map { " --connections \($0)" } ?? "" }

    var description: String {
        """
        mode \(mode.rawValue), seed \(seed), round \(round): \(what)
          operations: \(trace)
          again: Packaging/dev/check-model --mode \(mode.rawValue) --seed \(seed)\(connections)
        """
    }
}
