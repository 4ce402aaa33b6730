// The count of differences that were set right.
// SPDX-License-Identifier: Apache-2.0

import Logging
import Synchronization

/// Counts the differences between Syncthing, this program and gatherd that were found and set right, and logs them. For all
/// containers, from the start of the program on.
final class Corrections: Sendable {
    private let total = Atomic<Int64>(0)
    private let logger: Logger

    init(logger: Logger) { self.logger = logger }

    var count: Int64 { total.load(ordering: .relaxed) }

    func add(_ count: Int, _ what: String) {
        guard count > 0 else { return }
        total.add(Int64(count), ordering: .relaxed)
        logger.notice("set right: \(count) differences in the \(what)")
    }
}
