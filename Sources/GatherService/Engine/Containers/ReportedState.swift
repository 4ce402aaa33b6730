// The state of a container as it was told last.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Metadata

/// Remembers the state of a container that monitors were told last.
struct ReportedState {
    /// Nil before the first report.
    private var state: WatchState?
    /// The time since when the container is unavailable; nil if it is not.
    private(set) var awaySince: Timestamp?

    /// Takes the state of now. Returns whether it is to be told, since it is another than before.
    mutating func update(_ state: WatchState, now: @autoclosure () -> Timestamp = .now) -> Bool {
        guard state != self.state else { return false }
        self.state = state
        if case .unavailable = state { awaySince = awaySince ?? now() } else { awaySince = nil }
        return true
    }
}
