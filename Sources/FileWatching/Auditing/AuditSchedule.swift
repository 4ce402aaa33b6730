// When the next slice of the self-audit is due, and the cost of the slice under way.
// SPDX-License-Identifier: Apache-2.0

/// The times of the self-audit, in nanoseconds of ``WatchKernel/now()``, and its processor time.
struct AuditSchedule {
    /// When there is something to do; nil for never.
    private(set) var next: UInt64?
    /// Whether more was due than the last slices have seen.
    private(set) var isBehind = false
    /// The processor time of the slice that is under way.
    private var cost: UInt64 = 0

    /// Begins anew, with other settings.
    mutating func reset() { (next, isBehind) = (nil, false) }

    /// There is nothing to audit.
    mutating func stop() { next = nil }

    func isDue(at now: UInt64) -> Bool { next.map { now >= $0 } ?? true }

    /// The next slice is due at a time, `UInt64.max` for never, and after a pause.
    mutating func schedule(_ time: UInt64, now: UInt64, pause: UInt64) {
        next = time == .max ? nil : max(time, now &+ pause)
        isBehind = time <= now
    }

    /// The slice under way has taken so much processor time.
    mutating func addCost(_ nanoseconds: UInt64) { cost += nanoseconds }

    /// A slice has ended: its processor time puts the next off, so that all of them keep below a share of one processor.
    mutating func endSlice(share: Double, now: UInt64) {
        let pause = Double(cost) / (share > WatchLimits.leastAuditShare ? share : WatchLimits.leastAuditShare)
        cost = 0
        next = max(next ?? 0, now &+ UInt64(min(pause, Double(WatchLimits.auditPauseLimit))))
    }
}
