// A failed item of /rest/folder/errors.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// An item that could not be scanned or downloaded.
package struct FolderError: Sendable, Hashable {
    package var path: String
    package var message: String

    package init(path: String, message: String) { (self.path, self.message) = (path, message) }

    package init(from reader: inout JSONReader) throws(JSONError) {
        let start = reader.position
        var path: String?
        var message: String?
        try reader.readFields { (reader) throws(JSONError) in
            if reader.keyIs("path") {
                path = try reader.readString()
            } else if reader.keyIs("error") {
                message = try reader.readString()
            } else {
                try reader.skipValue()
            }
        }
        guard let path else { throw JSONError(.missingField("path"), at: start) }
        guard let message else { throw JSONError(.missingField("error"), at: start) }
        self.path = path
        self.message = message
    }
}
