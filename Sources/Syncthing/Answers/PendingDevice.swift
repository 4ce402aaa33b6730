// A device of /rest/cluster/pending/devices.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// A device that wants to connect and is not known.
package struct PendingDevice: Sendable, Hashable {
    package var name: String = ""
    package var address: String = ""
    /// RFC 3339.
    package var time: String = ""

    package init(from reader: inout JSONReader) throws(JSONError) {
        var name: String = ""
        var address: String = ""
        var time: String = ""
        try reader.readFields { (reader) throws(JSONError) in
            if reader.keyIs("name") {
                name = try reader.readString()
            } else if reader.keyIs("address") {
                address = try reader.readString()
            } else if reader.keyIs("time") {
                time = try reader.readString()
            } else {
                try reader.skipValue()
            }
        }
        self.name = name
        self.address = address
        self.time = time
    }
}
