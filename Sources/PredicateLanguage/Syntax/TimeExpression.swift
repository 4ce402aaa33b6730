// Times relative to now: now() and $time.
// SPDX-License-Identifier: Apache-2.0

package import Metadata

/// A time relative to the moment of the query: `now()`, `$time.now(-3600)`, `$time.today(-7)`, `$time.this_month`.
package struct TimeExpression: Sendable, Hashable {
    package enum Unit: String, Sendable, Hashable, CaseIterable {
        /// An instant, `count` seconds from now.
        case now
        case day = "today"
        case week = "this_week"
        case month = "this_month"
        case year = "this_year"
    }

    package var unit: Unit
    /// The number of units later; negative for earlier.
    package var count: Int64
    /// The zone whose days, weeks, months and years count. An instant has none, so it is equal in all zones.
    package let zone: LocalZone

    package init(_ unit: Unit, _ count: Int64 = 0, in zone: LocalZone = .process) {
        self.unit = unit
        self.count = count
        self.zone = unit == .now ? .process : zone
    }
}
