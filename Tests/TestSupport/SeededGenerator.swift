// Random numbers that are the same for the same seed, for whatever tests make up.
// SPDX-License-Identifier: Apache-2.0

/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    /// A generator of its own for one step of a run, so that leaving out other steps changes nothing in this one.
    package init(seed: UInt64, _ places: Int...) {
        state = seed
        for place in places { state = next() ^ UInt64(truncatingIfNeeded: place) &* 0xD6E8_FEB8_6659_FD93 }
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
