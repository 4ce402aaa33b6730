// How far the extended attributes of a container are read.
// SPDX-License-Identifier: Apache-2.0

/// Tells how far the extended attributes of a container are read, which happens only once a question needs them.
struct ExtendedAttributeProgress {
    private enum State {
        case off
        case filling
        case filled
    }

    private var state: State
    /// The daemon's clock from which on the index had those of every item, once they are filled.
    private var since: UInt64 = 0

    /// - Parameter isFilled: whether the index has them, as when it was saved with them.
    init(isFilled: Bool) { state = isFilled ? .filled : .off }

    /// Whether no question has needed them yet.
    var isOff: Bool { state == .off }
    /// Whether the index has those of every item.
    var isFilled: Bool { state == .filled }

    /// Has them read. Returns whether that is to begin: they are not read yet, nor being read.
    mutating func begin() -> Bool {
        guard state == .off else { return false }
        state = .filling
        return true
    }

    /// Notes that they were read, at a clock of the daemon.
    mutating func noteFilled(at sequence: UInt64) {
        state = .filled
        since = sequence
    }

    /// Notes the clock of the daemon before which nothing is known of them: when they were read is not saved.
    mutating func noteStart(at sequence: UInt64) { since = sequence }

    /// Whether the index had those of every item at a clock of the daemon.
    func wereFilled(at sequence: UInt64) -> Bool { isFilled && since <= sequence }
}
