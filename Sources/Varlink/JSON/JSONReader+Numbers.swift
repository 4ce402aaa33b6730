// Numbers: 64-bit integers exactly, everything else as the nearest Double.
// SPDX-License-Identifier: Apache-2.0

extension JSONReader {
    /// Reads an integer exactly. A number with a fraction or an exponent is none, whatever its value.
    package mutating func readInteger() throws(JSONError) -> Int64 {
        try expect(.number)
        let start = position
        let (range, isInteger) = try scanNumber()
        guard isInteger else { throw JSONError(.numberOutOfRange, at: start) }
        var index = range.lowerBound
        let isNegative = byte(at: index) == UInt8(ascii: "-")
        if isNegative { index += 1 }
        // Gathered below zero, where there is room for one more.
        var value: Int64 = 0
        while index < range.upperBound {
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflow2) = product.subtractingReportingOverflow(Int64(byte(at: index) - UInt8(ascii: "0")))
            guard !overflow, !overflow2 else { throw JSONError(.numberOutOfRange, at: start) }
            value = sum
            index += 1
        }
        guard !isNegative else { return value }
        guard value != .min else { throw JSONError(.numberOutOfRange, at: start) }
        return -value
    }

    /// Reads any number as the Double nearest to it; one beyond the finite Doubles is an error.
    package mutating func readDouble() throws(JSONError) -> Double {
        try expect(.number)
        let (range, _) = try scanNumber()
        let text = String(
            decoding: UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count), as: UTF8.self)
        guard let value = Double(text), value.isFinite else {
            throw JSONError(.numberOutOfRange, at: range.lowerBound)
        }
        return value
    }

    /// Whether the number that comes next is written as an integer, without fraction and exponent. Consumes nothing.
    package mutating func nextNumberIsInteger() throws(JSONError) -> Bool {
        try expect(.number)
        let start = position
        let (_, isInteger) = try scanNumber()
        position = start
        return isInteger
    }

    /// Checks the number that begins here and steps over it.
    mutating func scanNumber() throws(JSONError) -> (range: Range<Int>, isInteger: Bool) {
        let start = position
        var index = position
        var isInteger = true
        @inline(__always) func isDigit(_ index: Int) -> Bool {
            index < count && byte(at: index) &- UInt8(ascii: "0") <= 9
        }
        if byte(at: index) == UInt8(ascii: "-") { index += 1 }
        guard isDigit(index) else { throw number(endingAt: index) }
        if byte(at: index) == UInt8(ascii: "0") {
            index += 1
            guard !isDigit(index) else { throw JSONError(.invalidNumber, at: start) }
        } else {
            while isDigit(index) { index += 1 }
        }
        if index < count, byte(at: index) == UInt8(ascii: ".") {
            isInteger = false
            index += 1
            guard isDigit(index) else { throw number(endingAt: index) }
            while isDigit(index) { index += 1 }
        }
        if index < count, byte(at: index) | 0x20 == UInt8(ascii: "e") {
            isInteger = false
            index += 1
            if index < count, byte(at: index) == UInt8(ascii: "+") || byte(at: index) == UInt8(ascii: "-") {
                index += 1
            }
            guard isDigit(index) else { throw number(endingAt: index) }
            while isDigit(index) { index += 1 }
        }
        position = index
        return (start..<index, isInteger)
    }

    private func number(endingAt index: Int) -> JSONError {
        index < count ? JSONError(.invalidNumber, at: index) : JSONError(.unexpectedEnd, at: count)
    }
}
