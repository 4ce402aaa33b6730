// The connection to a device, of /rest/system/connections.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// The connection to a device.
package struct DeviceConnection: Sendable, Hashable {
    package var isConnected: Bool = false
    package var isPaused: Bool = false
    package var address: String = ""
    package var version: String = ""
    /// Bytes since Syncthing started.
    package var received: Int64 = 0
    /// Bytes since Syncthing started.
    package var sent: Int64 = 0

    package init(from reader: inout JSONReader) throws(JSONError) {
        var isConnected: Bool = false
        var isPaused: Bool = false
        var address: String = ""
        var version: String = ""
        var received: Int64 = 0
        var sent: Int64 = 0
        try reader.readFields { (reader) throws(JSONError) in
            if reader.keyIs("connected") {
                isConnected = try reader.readBool()
            } else if reader.keyIs("paused") {
                isPaused = try reader.readBool()
            } else if reader.keyIs("address") {
                address = try reader.readString()
            } else if reader.keyIs("clientVersion") {
                version = try reader.readString()
            } else if reader.keyIs("inBytesTotal") {
                received = try reader.readInteger()
            } else if reader.keyIs("outBytesTotal") {
                sent = try reader.readInteger()
            } else {
                try reader.skipValue()
            }
        }
        self.isConnected = isConnected
        self.isPaused = isPaused
        self.address = address
        self.version = version
        self.received = received
        self.sent = sent
    }
}
