// A device of /rest/stats/device.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// When a device was connected last.
package struct DeviceStatistics: Sendable, Hashable {
    /// RFC 3339.
    package var lastSeen: String = ""

    package init(from reader: inout JSONReader) throws(JSONError) {
        var lastSeen: String = ""
        try reader.readFields { (reader) throws(JSONError) in
            if reader.keyIs("lastSeen") {
                lastSeen = try reader.readString()
            } else {
                try reader.skipValue()
            }
        }
        self.lastSeen = lastSeen
    }
}
