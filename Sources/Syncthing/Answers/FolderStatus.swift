// /rest/db/status of Syncthing.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// The state of a folder.
package struct FolderStatus: Sendable, Hashable {
    package var state: String = ""
    package var error: String?
    package var invalid: String?
    package var items: Int64 = 0
    package var deleted: Int64 = 0
    package var bytes: Int64 = 0
    package var missing: Int64 = 0
    package var missingBytes: Int64 = 0
    package var errors: Int64 = 0
    package var pullErrors: Int64 = 0
    /// Whether Syncthing neither reads the folder nor fetches files of it.
    package var isIdle: Bool { state == "idle" }

    package init(from reader: inout JSONReader) throws(JSONError) {
        var state: String = ""
        var error: String?
        var invalid: String?
        var items: Int64 = 0
        var deleted: Int64 = 0
        var bytes: Int64 = 0
        var missing: Int64 = 0
        var missingBytes: Int64 = 0
        var errors: Int64 = 0
        var pullErrors: Int64 = 0
        try reader.readFields { (reader) throws(JSONError) in
            if reader.keyIs("state") {
                state = try reader.readString()
            } else if reader.keyIs("error") {
                error = try reader.readString()
            } else if reader.keyIs("invalid") {
                invalid = try reader.readString()
            } else if reader.keyIs("localTotalItems") {
                items = try reader.readInteger()
            } else if reader.keyIs("localDeleted") {
                deleted = try reader.readInteger()
            } else if reader.keyIs("localBytes") {
                bytes = try reader.readInteger()
            } else if reader.keyIs("needTotalItems") {
                missing = try reader.readInteger()
            } else if reader.keyIs("needBytes") {
                missingBytes = try reader.readInteger()
            } else if reader.keyIs("errors") {
                errors = try reader.readInteger()
            } else if reader.keyIs("pullErrors") {
                pullErrors = try reader.readInteger()
            } else {
                try reader.skipValue()
            }
        }
        self.state = state
        self.error = error
        self.invalid = invalid
        self.items = items
        self.deleted = deleted
        self.bytes = bytes
        self.missing = missing
        self.missingBytes = missingBytes
        self.errors = errors
        self.pullErrors = pullErrors
    }
}
