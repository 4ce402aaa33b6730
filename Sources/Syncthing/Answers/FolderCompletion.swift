// /rest/db/completion of Syncthing.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// How much of a folder a device has.
package struct FolderCompletion: Sendable, Hashable {
    /// Percent.
    package var completion: Double = 0
    package var missing: Int64 = 0
    package var missingDeletions: Int64 = 0
    package var missingBytes: Int64 = 0

    package init(from reader: inout JSONReader) throws(JSONError) {
        var completion: Double = 0
        var missing: Int64 = 0
        var missingDeletions: Int64 = 0
        var missingBytes: Int64 = 0
        try reader.readFields { (reader) throws(JSONError) in
            if reader.keyIs("completion") {
                completion = try reader.readDouble()
            } else if reader.keyIs("needItems") {
                missing = try reader.readInteger()
            } else if reader.keyIs("needDeletes") {
                missingDeletions = try reader.readInteger()
            } else if reader.keyIs("needBytes") {
                missingBytes = try reader.readInteger()
            } else {
                try reader.skipValue()
            }
        }
        self.completion = completion
        self.missing = missing
        self.missingDeletions = missingDeletions
        self.missingBytes = missingBytes
    }
}
