// A device that has a file, of /rest/db/file.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// A connected device that has a file.
package struct FileAvailability: Sendable, Hashable {
    package var device: String
    package var isTemporary: Bool = false

    package init(from reader: inout JSONReader) throws(JSONError) {
        let start = reader.position
        var device: String?
        var isTemporary: Bool = false
        try reader.readFields { (reader) throws(JSONError) in
            if reader.keyIs("id") {
                device = try reader.readString()
            } else if reader.keyIs("fromTemporary") {
                isTemporary = try reader.readBool()
            } else {
                try reader.skipValue()
            }
        }
        guard let device else { throw JSONError(.missingField("id"), at: start) }
        self.device = device
        self.isTemporary = isTemporary
    }
}
