// Choices by a seeded generator.
// SPDX-License-Identifier: Apache-2.0

import TestSupport

extension SeededGenerator {
    mutating func chance(_ numerator: Int, in denominator: Int) -> Bool {
        Int.random(in: 0..<denominator, using: &self) < numerator
    }

    mutating func one<Element>(of elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &self)]
    }
}
