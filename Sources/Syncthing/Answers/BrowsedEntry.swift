// The tree of /rest/db/browse.
// SPDX-License-Identifier: Apache-2.0

internal import Varlink

/// Reads the tree of `/rest/db/browse`, whose nesting the JSON reader bounds.
enum BrowsedEntry {
    /// Adds the paths of an array of entries.
    static func read(_ reader: inout JSONReader, below parent: String, into paths: inout Set<String>) throws(JSONError)
    {
        if try reader.readNullIfPresent() { return }
        try reader.beginArray()
        while try reader.nextElement() {
            let start = reader.position
            var name: String?
            // `children` comes after `name`, since Go writes fields in their order.
            try reader.beginObject()
            while try reader.nextKey() {
                if reader.keyIs("name") {
                    name = try reader.readString()
                } else if reader.keyIs("children") {
                    guard let name else { throw JSONError(.missingField("name"), at: start) }
                    try read(&reader, below: parent + name + "/", into: &paths)
                } else {
                    try reader.skipValue()
                }
            }
            guard let name else { throw JSONError(.missingField("name"), at: start) }
            paths.insert(parent + name)
        }
    }
}
