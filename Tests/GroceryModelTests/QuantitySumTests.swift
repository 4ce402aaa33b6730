// The sums of quantities.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GroceryModel

struct QuantitySumTests {
    @Test(arguments: [
        ("2 l", "1 l", "3 l"), ("", "2 l", "2 l"), ("2 l", "", "2 l"), ("", "", ""), ("2", "3", "5"),
        ("1,5 l", "1 l", "2,5 l"), ("1.5 kg", "0.5 kg", "2 kg"), ("500g", "250 g", "750 g"), ("500g", "250g", "750g"),
        ("1 can", "2 cans", "3 cans"), ("1 Dose", "2 Dosen", "3 Dosen"), ("1 L", "2 l", "3 l"),
        ("1 000 g", "500 g", "1500 g"),
        ("0.25 l", "0.8 l", "1.05 l"), ("1.000 g", "500 g", "1.000 g + 500 g"), ("2 l", "3 bottles", "2 l + 3 bottles"),
        ("2", "3 l", "2 + 3 l"), ("1/2 l", "1 l", "1/2 l + 1 l"), ("2 x 500 g", "1 kg", "2 x 500 g + 1 kg"),
        ("some", "1", "some + 1"), ("999999999", "1", "1000000000"), ("9999999999", "1", "9999999999 + 1"),
    ])
    func `A sum is written as a person writes it`(_ one: String, _ other: String, _ sum: String) {
        #expect(QuantitySum.text(one, other) == sum)
    }
}
