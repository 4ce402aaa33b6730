// /rest/system/status of Syncthing.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// The device that Syncthing is, and its start.
package struct SystemStatus: Sendable, Hashable {
    package var device: String
    /// The time of the start, which tells runs of the program apart.
    package var startTime: String
    /// The directory for which `~` stands in paths of folders.
    package var home: String = ""

    package init(from reader: inout JSONReader) throws(JSONError) {
        let start = reader.position
        var device: String?
        var startTime: String?
        var home: String = ""
        try reader.readFields { (reader) throws(JSONError) in
            if reader.keyIs("myID") {
                device = try reader.readString()
            } else if reader.keyIs("startTime") {
                startTime = try reader.readString()
            } else if reader.keyIs("tilde") {
                home = try reader.readString()
            } else {
                try reader.skipValue()
            }
        }
        guard let device else { throw JSONError(.missingField("myID"), at: start) }
        guard let startTime else { throw JSONError(.missingField("startTime"), at: start) }
        self.device = device
        self.startTime = startTime
        self.home = home
    }
}
