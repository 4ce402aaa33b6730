// The fields that events of Syncthing have.
// SPDX-License-Identifier: Apache-2.0

internal import Varlink

/// The fields of all types of events together. Each type has some of them.
struct EventFields {
    var folder: String?
    var device: String?
    var path: String?
    var paths: [String] = []
    var error: String?
    var errors: [FolderError] = []
    var state: String?
    var blocks: [String: Int64] = [:]
    var modifiedBy: String?
    var missing: Int64 = 0

    init(from reader: inout JSONReader) throws(JSONError) {
        try reader.readFields { (reader) throws(JSONError) in
            if reader.keyIs("folder") {
                folder = try reader.readString()
            } else if reader.keyIs("device") || reader.keyIs("id") {
                device = try reader.readString()
            } else if reader.keyIs("item") || reader.keyIs("path") {
                path = try reader.readString()
            } else if reader.keyIs("filenames") {
                paths = try reader.readTexts()
            } else if reader.keyIs("error") {
                error = try reader.readString()
            } else if reader.keyIs("errors") {
                errors = try reader.readList { (reader) throws(JSONError) in try FolderError(from: &reader) }
            } else if reader.keyIs("to") {
                state = try reader.readString()
            } else if reader.keyIs("state") {
                blocks = try reader.readMap { (reader) throws(JSONError) in try reader.readInteger() }
            } else if reader.keyIs("modifiedBy") {
                modifiedBy = try reader.readString()
            } else if reader.keyIs("needItems") || reader.keyIs("needDeletes") {
                let (sum, overflow) = missing.addingReportingOverflow(try reader.readInteger())
                missing = overflow ? .max : sum
            } else {
                try reader.skipValue()
            }
        }
    }
}
