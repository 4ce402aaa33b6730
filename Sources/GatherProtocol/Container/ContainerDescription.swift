// io.gatherd.Container.Container as it travels.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// A container and how it is.
package struct ContainerDescription: JSONMessage, Hashable {
    package var identifier: String
    package var path: String
    package var state: ContainerState
    package var reason: String?
    package var origin: String
    package var items: Int64
    package var directories: Int64
    package var watches: Int64
    package var polled: Int64
    package var unreadable: Int64
    package var packages: [String]
    package var ignore: [String]
    package var clock: String
    package var filled: [String]?
    package var filledBytes: Int64?
    package var outstanding: Int64?

    /// The message from its fields.
    package init(
        identifier: String, path: String, state: ContainerState, reason: String? = nil, origin: String, items: Int64,
        directories: Int64, watches: Int64, polled: Int64, unreadable: Int64, packages: [String], ignore: [String],
        clock: String, filled: [String]? = nil, filledBytes: Int64? = nil, outstanding: Int64? = nil
    ) {
        self.identifier = identifier
        self.path = path
        self.state = state
        self.reason = reason
        self.origin = origin
        self.items = items
        self.directories = directories
        self.watches = watches
        self.polled = polled
        self.unreadable = unreadable
        self.packages = packages
        self.ignore = ignore
        self.clock = clock
        self.filled = filled
        self.filledBytes = filledBytes
        self.outstanding = outstanding
    }

    package init(from reader: inout JSONReader) throws(JSONError) {
        let start = reader.position
        var identifier: String?
        var path: String?
        var state: ContainerState?
        var reason: String?
        var origin: String?
        var items: Int64?
        var directories: Int64?
        var watches: Int64?
        var polled: Int64?
        var unreadable: Int64?
        var packages: [String]?
        var ignore: [String]?
        var clock: String?
        var filled: [String]?
        var filledBytes: Int64?
        var outstanding: Int64?
        try reader.beginObject()
        while try reader.nextKey() {
            if try reader.readNullIfPresent() { continue }
            if reader.keyIs("identifier") {
                identifier = try reader.readString()
            } else if reader.keyIs("path") {
                path = try reader.readString()
            } else if reader.keyIs("state") {
                state = try ContainerState(from: &reader)
            } else if reader.keyIs("reason") {
                reason = try reader.readString()
            } else if reader.keyIs("origin") {
                origin = try reader.readString()
            } else if reader.keyIs("items") {
                items = try reader.readInteger()
            } else if reader.keyIs("directories") {
                directories = try reader.readInteger()
            } else if reader.keyIs("watches") {
                watches = try reader.readInteger()
            } else if reader.keyIs("polled") {
                polled = try reader.readInteger()
            } else if reader.keyIs("unreadable") {
                unreadable = try reader.readInteger()
            } else if reader.keyIs("packages") {
                packages = try reader.readStrings()
            } else if reader.keyIs("ignore") {
                ignore = try reader.readStrings()
            } else if reader.keyIs("clock") {
                clock = try reader.readString()
            } else if reader.keyIs("filled") {
                filled = try reader.readStrings()
            } else if reader.keyIs("filledBytes") {
                filledBytes = try reader.readInteger()
            } else if reader.keyIs("outstanding") {
                outstanding = try reader.readInteger()
            } else {
                try reader.skipValue()
            }
        }
        guard let identifier else { throw JSONError(.missingField("identifier"), at: start) }
        guard let path else { throw JSONError(.missingField("path"), at: start) }
        guard let state else { throw JSONError(.missingField("state"), at: start) }
        guard let origin else { throw JSONError(.missingField("origin"), at: start) }
        guard let items else { throw JSONError(.missingField("items"), at: start) }
        guard let directories else { throw JSONError(.missingField("directories"), at: start) }
        guard let watches else { throw JSONError(.missingField("watches"), at: start) }
        guard let polled else { throw JSONError(.missingField("polled"), at: start) }
        guard let unreadable else { throw JSONError(.missingField("unreadable"), at: start) }
        guard let packages else { throw JSONError(.missingField("packages"), at: start) }
        guard let ignore else { throw JSONError(.missingField("ignore"), at: start) }
        guard let clock else { throw JSONError(.missingField("clock"), at: start) }
        self.identifier = identifier
        self.path = path
        self.state = state
        self.reason = reason
        self.origin = origin
        self.items = items
        self.directories = directories
        self.watches = watches
        self.polled = polled
        self.unreadable = unreadable
        self.packages = packages
        self.ignore = ignore
        self.clock = clock
        self.filled = filled
        self.filledBytes = filledBytes
        self.outstanding = outstanding
    }

    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("identifier", identifier)
        writer.field("path", path)
        writer.field("state", message: state)
        writer.field("reason", reason)
        writer.field("origin", origin)
        writer.field("items", items)
        writer.field("directories", directories)
        writer.field("watches", watches)
        writer.field("polled", polled)
        writer.field("unreadable", unreadable)
        writer.field("packages", packages)
        writer.field("ignore", ignore)
        writer.field("clock", clock)
        writer.field("filled", filled)
        writer.field("filledBytes", filledBytes)
        writer.field("outstanding", outstanding)
        writer.endObject()
    }
}
