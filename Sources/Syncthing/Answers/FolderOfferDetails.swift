// An offer of /rest/cluster/pending/folders.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// How a device offers a folder.
package struct FolderOfferDetails: Sendable, Hashable {
    package var label: String = ""
    /// RFC 3339.
    package var time: String = ""

    package init(from reader: inout JSONReader) throws(JSONError) {
        var label: String = ""
        var time: String = ""
        try reader.readFields { (reader) throws(JSONError) in
            if reader.keyIs("label") {
                label = try reader.readString()
            } else if reader.keyIs("time") {
                time = try reader.readString()
            } else {
                try reader.skipValue()
            }
        }
        self.label = label
        self.time = time
    }
}
