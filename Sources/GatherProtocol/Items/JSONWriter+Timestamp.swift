// Dates in RFC 3339, written straight into the message.
// SPDX-License-Identifier: Apache-2.0

package import Metadata
package import Varlink

extension JSONWriter {
    /// A string with the date and time in UTC to nanoseconds, such as `"2026-01-31T09:00:00.000000000Z"`: the text of
    /// `Timestamp.rfc3339`, without an allocation.
    package mutating func timestamp(_ time: Timestamp) {
        let perSecond: Int64 = 1_000_000_000
        let perDay: Int64 = 86_400
        // Towards the past also before 1970, where / and % go towards it from the wrong side.
        let fraction = (time.nanoseconds % perSecond + perSecond) % perSecond
        let seconds = time.nanoseconds / perSecond - (time.nanoseconds % perSecond < 0 ? 1 : 0)
        let second = (seconds % perDay + perDay) % perDay
        let (year, month, day) = Timestamp.civil(fromDays: (seconds - second) / perDay)
        let length = 32
        withUnsafeTemporaryAllocation(byteCount: length, alignment: 1) { text in
            // From the end to the beginning; every index is a constant below `length`.
            func put(_ value: Int64, at end: Int, digits: Int) {
                var value = value
                for index in stride(from: end - 1, through: end - digits, by: -1) {
                    text[index] = UInt8(truncatingIfNeeded: 48 + value % 10)
                    value /= 10
                }
            }
            text[0] = UInt8(ascii: "\"")
            put(year, at: 5, digits: 4)
            text[5] = UInt8(ascii: "-")
            put(month, at: 8, digits: 2)
            text[8] = UInt8(ascii: "-")
            put(day, at: 11, digits: 2)
            text[11] = UInt8(ascii: "T")
            put(second / 3600, at: 14, digits: 2)
            text[14] = UInt8(ascii: ":")
            put(second / 60 % 60, at: 17, digits: 2)
            text[17] = UInt8(ascii: ":")
            put(second % 60, at: 20, digits: 2)
            text[20] = UInt8(ascii: ".")
            put(fraction, at: 30, digits: 9)
            text[30] = UInt8(ascii: "Z")
            text[31] = UInt8(ascii: "\"")
            raw(UnsafeRawBufferPointer(text))
        }
    }
}
