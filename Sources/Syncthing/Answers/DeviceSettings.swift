// A device of /rest/config/devices.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// A device as Syncthing is set up for it.
package struct DeviceSettings: Sendable, Hashable {
    package var device: String
    package var name: String = ""
    package var addresses: [String] = []
    package var isPaused: Bool = false

    package init(from reader: inout JSONReader) throws(JSONError) {
        let start = reader.position
        var device: String?
        var name: String = ""
        var addresses: [String] = []
        var isPaused: Bool = false
        try reader.readFields { (reader) throws(JSONError) in
            if reader.keyIs("deviceID") {
                device = try reader.readString()
            } else if reader.keyIs("name") {
                name = try reader.readString()
            } else if reader.keyIs("addresses") {
                addresses = try reader.readTexts()
            } else if reader.keyIs("paused") {
                isPaused = try reader.readBool()
            } else {
                try reader.skipValue()
            }
        }
        guard let device else { throw JSONError(.missingField("deviceID"), at: start) }
        self.device = device
        self.name = name
        self.addresses = addresses
        self.isPaused = isPaused
    }

    /// The first part of the identifier, as `modifiedBy` has it.
    package var shortID: String { String(device.prefix(7)) }

    /// The name, or the short identifier if there is none.
    package var displayName: String { name.isEmpty ? shortID : name }
}
