// Keeps the access lists that somebody has handles of.
// SPDX-License-Identifier: Apache-2.0

/// As long as it lives, none of the access lists is let go that were named since it was made (``AccessListTable``): rows and
/// what was read of directories hold one together with handles of lists. All that were made between two sweeps are one, which
/// takes no more than a reference.
package final class AccessListLease: Sendable {
    let era: UInt64
    private let end: @Sendable (UInt64) -> Void

    init(era: UInt64, end: @escaping @Sendable (UInt64) -> Void) {
        self.era = era
        self.end = end
    }

    deinit { end(era) }
}
