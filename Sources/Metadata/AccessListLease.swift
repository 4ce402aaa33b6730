// Keeps access lists alive while handles of them exist.
// SPDX-License-Identifier: Apache-2.0

/// Keeps alive every access list that was named since the lease was made (``AccessListTable``). Rows and directory listings
/// hold a lease together with handles of lists. All leases made between two sweeps are one object, so each costs a
/// reference.
package final class AccessListLease: Sendable {
    let era: UInt64
    private let end: @Sendable (UInt64) -> Void

    init(era: UInt64, end: @escaping @Sendable (UInt64) -> Void) {
        self.era = era
        self.end = end
    }

    deinit { end(era) }
}
