// A device of a folder, of /rest/config/folders.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// A device with which a folder is shared.
package struct FolderDevice: Sendable, Hashable {
    package var device: String

    package init(from reader: inout JSONReader) throws(JSONError) {
        let start = reader.position
        var device: String?
        try reader.readFields { (reader) throws(JSONError) in
            if reader.keyIs("deviceID") {
                device = try reader.readString()
            } else {
                try reader.skipValue()
            }
        }
        guard let device else { throw JSONError(.missingField("deviceID"), at: start) }
        self.device = device
    }
}
