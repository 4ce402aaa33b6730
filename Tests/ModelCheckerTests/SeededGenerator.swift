// Random numbers that are the same for the same seed.
// SPDX-License-Identifier: Apache-2.0

/// SplitMix64.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// A generator of its own for one step of a run, so that leaving out other steps changes nothing in this one.
    init(seed: UInt64, _ places: Int...) {
        state = seed
        for place in places { state = next() ^ UInt64(truncatingIfNeeded: place) &* 0xD6E8_FEB8_6659_FD93 }
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    mutating func chance(_ numerator: Int, in denominator: Int) -> Bool {
        Int.random(in: 0..<denominator, using: &self) < numerator
    }

    mutating func one<Element>(of elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &self)]
    }
}
