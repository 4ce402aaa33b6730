// /rest/db/file of Syncthing.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// The versions of a file that Syncthing knows.
package struct FileEntry: Sendable, Hashable {
    package var local: FileRecord
    /// The newest version.
    package var global: FileRecord
    /// Connected devices that have the newest version.
    package var availability: [FileAvailability] = []

    package init(from reader: inout JSONReader) throws(JSONError) {
        let start = reader.position
        var local: FileRecord?
        var global: FileRecord?
        var availability: [FileAvailability] = []
        try reader.readFields { (reader) throws(JSONError) in
            if reader.keyIs("local") {
                local = try FileRecord(from: &reader)
            } else if reader.keyIs("global") {
                global = try FileRecord(from: &reader)
            } else if reader.keyIs("availability") {
                availability = try reader.readList { (reader) throws(JSONError) in try FileAvailability(from: &reader) }
            } else {
                try reader.skipValue()
            }
        }
        guard let local else { throw JSONError(.missingField("local"), at: start) }
        guard let global else { throw JSONError(.missingField("global"), at: start) }
        self.local = local
        self.global = global
        self.availability = availability
    }
}
