// The part of a disk that Syncthing leaves free.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// The part of a disk that Syncthing leaves free (`minDiskFree` of a folder): a number of bytes, or of per cent.
package struct DiskReserve: Sendable, Hashable {
    package var value: Double = 0
    /// `%`, or a prefix of a thousand, a million and so on, with or without a `B` behind it; empty for bytes.
    package var unit = ""

    package init() {}

    package init(from reader: inout JSONReader) throws(JSONError) {
        var value: Double = 0
        var unit = ""
        try reader.readFields { (reader) throws(JSONError) in
            if reader.keyIs("value") {
                value = try reader.readDouble()
            } else if reader.keyIs("unit") {
                unit = try reader.readString()
            } else {
                try reader.skipValue()
            }
        }
        (self.value, self.unit) = (value, unit)
    }

    /// Returns the bytes that stay free on a disk of this size.
    package func bytes(ofDisk size: Int64) -> Int64 {
        let factor: Double =
            switch unit.lowercased().first {
            case "%": Double(size) / 100
            case "k": 1e3
            case "m": 1e6
            case "g": 1e9
            case "t": 1e12
            default: 1
            }
        return Int64(exactly: max(0, value * factor).rounded(.up)) ?? .max
    }
}
