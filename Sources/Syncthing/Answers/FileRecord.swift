// A version of a file in the database of Syncthing.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// A version of a file, directory or symbolic link.
package struct FileRecord: Sendable, Hashable {
    package var name: String = ""
    package var type: String = ""
    package var size: Int64 = 0
    /// RFC 3339.
    package var modified: String = ""
    /// The short identifier of the device that changed it.
    package var modifiedBy: String = ""
    package var isDeleted: Bool = false
    package var isIgnored: Bool = false
    package var isInvalid: Bool = false
    /// Whether it has a version. A file that a pattern ignored, and that is not here, becomes a deletion without one: any
    /// version of another device is newer.
    package var hasVersion: Bool = true
    /// The time of the inode's last change here, RFC 3339; empty before Syncthing 1.22. Where extended attributes are synced,
    /// Syncthing takes an item with another time for changed.
    package var inodeChange: String = ""
    /// Present in `/rest/db/file` only.
    package var blocks: Int64 = 0

    package init(from reader: inout JSONReader) throws(JSONError) {
        var name: String = ""
        var type: String = ""
        var size: Int64 = 0
        var modified: String = ""
        var modifiedBy: String = ""
        var isDeleted: Bool = false
        var isIgnored: Bool = false
        var isInvalid: Bool = false
        var hasVersion: Bool = true
        var inodeChange: String = ""
        var blocks: Int64 = 0
        try reader.readFields { (reader) throws(JSONError) in
            if reader.keyIs("name") {
                name = try reader.readString()
            } else if reader.keyIs("type") {
                type = try reader.readString()
            } else if reader.keyIs("size") {
                size = try reader.readInteger()
            } else if reader.keyIs("modified") {
                modified = try reader.readString()
            } else if reader.keyIs("modifiedBy") {
                modifiedBy = try reader.readString()
            } else if reader.keyIs("deleted") {
                isDeleted = try reader.readBool()
            } else if reader.keyIs("ignored") {
                isIgnored = try reader.readBool()
            } else if reader.keyIs("invalid") {
                isInvalid = try reader.readBool()
            } else if reader.keyIs("version") {
                hasVersion = try !reader.readList { (reader) throws(JSONError) in try reader.skipValue() }.isEmpty
            } else if reader.keyIs("inodeChange") {
                inodeChange = try reader.readString()
            } else if reader.keyIs("numBlocks") {
                blocks = try reader.readInteger()
            } else {
                try reader.skipValue()
            }
        }
        self.name = name
        self.type = type
        self.size = size
        self.modified = modified
        self.modifiedBy = modifiedBy
        self.isDeleted = isDeleted
        self.isIgnored = isIgnored
        self.isInvalid = isInvalid
        self.hasVersion = hasVersion
        self.inodeChange = inodeChange
        self.blocks = blocks
    }

    /// Whether it is a regular file.
    package var isFile: Bool { type == "FILE_INFO_TYPE_FILE" || type == "FILE" }
    /// Whether it is a directory.
    package var isDirectory: Bool { type == "FILE_INFO_TYPE_DIRECTORY" || type == "DIRECTORY" }
    /// Whether a device has deleted it.
    package var isGone: Bool { isDeleted && hasVersion }
    /// Whether it is a directory that has not been deleted.
    package var isPresentDirectory: Bool { isDirectory && !isDeleted }
}
