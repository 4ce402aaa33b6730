// The trials of a run of the tests: fixed ones, and with `Packaging/test --long` all of them and new seeds.
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Selects trials and seeds. Without `GATHER_TEST_LONG` they are the same in each run of one commit.
package enum TestLength {
    /// True with `Packaging/test --long`.
    package static let isLong = getenv("GATHER_TEST_LONG") != nil

    /// The seed of a failure that is to be repeated.
    private static let repeated = getenv("GATHER_TEST_SEED").flatMap { UInt64(String(cString: $0)) }

    /// Returns the first of `share` parts of `whole`, and with `--long` all of it. For trials that are alike.
    package static func part<Whole: Collection>(of whole: Whole, oneIn share: Int) -> [Whole.Element] {
        Array(isLong ? whole[...] : whole.prefix(whole.count / share))
    }

    /// Returns `fixed`, and with `--long` a new seed. A failure prints its seed, which `GATHER_TEST_SEED` repeats.
    package static func seed(_ fixed: UInt64) -> UInt64 {
        repeated ?? (isLong ? .random(in: 1...UInt64.max) : fixed)
    }

    /// Returns the first `count` of the seeds 1, 2 and so on, and with `--long` another number of new ones, as `seed` does.
    package static func seeds(_ count: UInt64, long: UInt64) -> [UInt64] {
        repeated.map { [$0] } ?? (0..<(isLong ? long : count)).map { seed($0 + 1) }
    }
}
