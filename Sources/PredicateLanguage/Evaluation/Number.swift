// Numbers that keep 64-bit integers exact.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// A number: a whole number from -2^63 to 2^64 - 1, kept exact, or a floating-point number. Booleans are 1 and 0.
enum Number {
    /// The 128 bits have room for the sum and the product of any two.
    case integer(Int128)
    case floating(Double)

    init?(_ value: MetadataValue) {
        switch value {
        case .boolean(let value): self = .integer(value ? 1 : 0)
        case .integer(let value): self = .integer(Int128(value))
        case .unsigned(let value): self = .integer(Int128(value))
        case .number(let value): self = .floating(value)
        default: return nil
        }
    }

    var value: MetadataValue {
        switch self {
        case .integer(let value): Int64(exactly: value).map { .integer($0) } ?? .unsigned(UInt64(clamping: value))
        case .floating(let value): .number(value)
        }
    }

    var floating: Double {
        switch self {
        case .integer(let value): Double(value)
        case .floating(let value): value
        }
    }

    /// Below zero, zero or above. An integer and a floating-point number are compared exactly, without rounding either.
    func order(to other: Number) -> Int {
        switch (self, other) {
        case (.integer(let a), .integer(let b)): a < b ? -1 : a == b ? 0 : 1
        case (.floating(let a), .floating(let b)): a < b ? -1 : a == b ? 0 : 1
        case (.integer(let a), .floating(let b)): Number.order(a, b)
        case (.floating(let a), .integer(let b)): -Number.order(b, a)
        }
    }

    private static func order(_ a: Int128, _ b: Double) -> Int {
        if b >= 0x1p64 { return -1 }
        if b < -0x1p63 { return 1 }
        guard let whole = Int128(exactly: b.rounded(.down)) else { return -1 }
        if a != whole { return a < whole ? -1 : 1 }
        return b > b.rounded(.down) ? -1 : 0
    }
}
