// The messages of io.gatherd.Container, from the text of the interface.
// Written by Packaging/dev/messages; not to be edited by hand.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// `origin` is the path of a configuration file, "runtime" for a container that was added over the socket, or
/// "argument". `items` counts all entries. Entries inside packages count too, although most queries do not find
/// them. `filled` names the attributes that cost system calls for each item and are known here, since a query
/// requested one of them (`xattr.*` for all extended attributes). `filledBytes` is their memory. `outstanding` is
/// the number of directories that are still to be read, if any. `unreadablePaths` names a few of the `unreadable`
/// directories to a caller that sees every item of the container. `sync` is "syncthing" for a container that
/// Syncthing shares with other devices. `overLimit` is the number of `polled` directories that would be watched if
/// there were more inotify watches, if any. `since` is the time since when an unavailable container is so, at the
/// earliest the start of the daemon. `mark` is the mark by which the container is known (.gather/container), if it
/// has one: also while another directory is at the path. `markedDirectory` has device, inode number and birth time
/// (in nanoseconds) of the directory with the mark, if these tell it from every other one.
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
    package var unreadablePaths: [String]?
    package var sync: String?
    package var overLimit: Int64?
    package var since: String?
    package var mark: String?
    package var markedDirectory: String?

    /// The message from its fields.
    package init(
        identifier: String, path: String, state: ContainerState, reason: String? = nil, origin: String, items: Int64,
        directories: Int64, watches: Int64, polled: Int64, unreadable: Int64, packages: [String], ignore: [String],
        clock: String, filled: [String]? = nil, filledBytes: Int64? = nil, outstanding: Int64? = nil,
        unreadablePaths: [String]? = nil, sync: String? = nil, overLimit: Int64? = nil, since: String? = nil,
        mark: String? = nil, markedDirectory: String? = nil
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
        self.unreadablePaths = unreadablePaths
        self.sync = sync
        self.overLimit = overLimit
        self.since = since
        self.mark = mark
        self.markedDirectory = markedDirectory
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
        var unreadablePaths: [String]?
        var sync: String?
        var overLimit: Int64?
        var since: String?
        var mark: String?
        var markedDirectory: String?
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
            } else if reader.keyIs("unreadablePaths") {
                unreadablePaths = try reader.readStrings()
            } else if reader.keyIs("sync") {
                sync = try reader.readString()
            } else if reader.keyIs("overLimit") {
                overLimit = try reader.readInteger()
            } else if reader.keyIs("since") {
                since = try reader.readString()
            } else if reader.keyIs("mark") {
                mark = try reader.readString()
            } else if reader.keyIs("markedDirectory") {
                markedDirectory = try reader.readString()
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
        self.unreadablePaths = unreadablePaths
        self.sync = sync
        self.overLimit = overLimit
        self.since = since
        self.mark = mark
        self.markedDirectory = markedDirectory
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
        writer.field("unreadablePaths", unreadablePaths)
        writer.field("sync", sync)
        writer.field("overLimit", overLimit)
        writer.field("since", since)
        writer.field("mark", mark)
        writer.field("markedDirectory", markedDirectory)
        writer.endObject()
    }
}

extension ContainerInterface {
    /// Returns the containers that the caller may read.
    package enum List: VarlinkMethod {
        package static let name = "io.gatherd.Container.List"

        /// The parameters of the call.
        package struct Request: JSONMessage, Hashable {
            /// The message from its fields.
            package init() {}

            package init(from reader: inout JSONReader) throws(JSONError) {
                try reader.beginObject()
                while try reader.nextKey() { try reader.skipValue() }
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.endObject()
            }
        }

        /// The answer.
        package struct Reply: JSONMessage, Hashable {
            package var containers: [ContainerDescription]

            /// The message from its fields.
            package init(containers: [ContainerDescription]) {
                self.containers = containers
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var containers: [ContainerDescription]?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("containers") {
                        containers = try reader.readMessages()
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let containers else { throw JSONError(.missingField("containers"), at: start) }
                self.containers = containers
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("containers", messages: containers)
                writer.endObject()
            }
        }
    }
}

extension ContainerInterface {
    package enum Get: VarlinkMethod {
        package static let name = "io.gatherd.Container.Get"

        /// The parameters of the call.
        package struct Request: JSONMessage, Hashable {
            package var identifier: String

            /// The message from its fields.
            package init(identifier: String) {
                self.identifier = identifier
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var identifier: String?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("identifier") {
                        identifier = try reader.readString()
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let identifier else { throw JSONError(.missingField("identifier"), at: start) }
                self.identifier = identifier
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("identifier", identifier)
                writer.endObject()
            }
        }

        /// The answer.
        package struct Reply: JSONMessage, Hashable {
            package var container: ContainerDescription

            /// The message from its fields.
            package init(container: ContainerDescription) {
                self.container = container
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var container: ContainerDescription?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("container") {
                        container = try ContainerDescription(from: &reader)
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let container else { throw JSONError(.missingField("container"), at: start) }
                self.container = container
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("container", message: container)
                writer.endObject()
            }
        }
    }
}

extension ContainerInterface {
    /// Watches another directory from now on, and after restarts too. Only root and the user of the daemon may call
    /// Add, Remove, Rescan and Accept.
    package enum Add: VarlinkMethod {
        package static let name = "io.gatherd.Container.Add"

        /// The parameters of the call.
        package struct Request: JSONMessage, Hashable {
            package var identifier: String
            package var path: String
            package var packages: [String]?
            package var ignore: [String]?
            package var sync: String?

            /// The message from its fields.
            package init(
                identifier: String, path: String, packages: [String]? = nil, ignore: [String]? = nil,
                sync: String? = nil
            ) {
                self.identifier = identifier
                self.path = path
                self.packages = packages
                self.ignore = ignore
                self.sync = sync
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var identifier: String?
                var path: String?
                var packages: [String]?
                var ignore: [String]?
                var sync: String?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("identifier") {
                        identifier = try reader.readString()
                    } else if reader.keyIs("path") {
                        path = try reader.readString()
                    } else if reader.keyIs("packages") {
                        packages = try reader.readStrings()
                    } else if reader.keyIs("ignore") {
                        ignore = try reader.readStrings()
                    } else if reader.keyIs("sync") {
                        sync = try reader.readString()
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let identifier else { throw JSONError(.missingField("identifier"), at: start) }
                guard let path else { throw JSONError(.missingField("path"), at: start) }
                self.identifier = identifier
                self.path = path
                self.packages = packages
                self.ignore = ignore
                self.sync = sync
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("identifier", identifier)
                writer.field("path", path)
                writer.field("packages", packages)
                writer.field("ignore", ignore)
                writer.field("sync", sync)
                writer.endObject()
            }
        }

        /// The answer.
        package struct Reply: JSONMessage, Hashable {
            package var container: ContainerDescription

            /// The message from its fields.
            package init(container: ContainerDescription) {
                self.container = container
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var container: ContainerDescription?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("container") {
                        container = try ContainerDescription(from: &reader)
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let container else { throw JSONError(.missingField("container"), at: start) }
                self.container = container
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("container", message: container)
                writer.endObject()
            }
        }
    }
}

extension ContainerInterface {
    /// Shares a container that was added at run time (`sync` is "syncthing"), or shares it no longer. The container is
    /// read anew. Only root and the user of the daemon may call it.
    package enum Share: VarlinkMethod {
        package static let name = "io.gatherd.Container.Share"

        /// The parameters of the call.
        package struct Request: JSONMessage, Hashable {
            package var identifier: String
            package var sync: String?

            /// The message from its fields.
            package init(identifier: String, sync: String? = nil) {
                self.identifier = identifier
                self.sync = sync
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var identifier: String?
                var sync: String?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("identifier") {
                        identifier = try reader.readString()
                    } else if reader.keyIs("sync") {
                        sync = try reader.readString()
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let identifier else { throw JSONError(.missingField("identifier"), at: start) }
                self.identifier = identifier
                self.sync = sync
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("identifier", identifier)
                writer.field("sync", sync)
                writer.endObject()
            }
        }

        /// The answer.
        package struct Reply: JSONMessage, Hashable {
            package var container: ContainerDescription

            /// The message from its fields.
            package init(container: ContainerDescription) {
                self.container = container
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var container: ContainerDescription?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("container") {
                        container = try ContainerDescription(from: &reader)
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let container else { throw JSONError(.missingField("container"), at: start) }
                self.container = container
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("container", message: container)
                writer.endObject()
            }
        }
    }
}

extension ContainerInterface {
    /// Removes a container that was added at run time. A container that a file configures is refused, and the error
    /// names the file.
    package enum Remove: VarlinkMethod {
        package static let name = "io.gatherd.Container.Remove"

        /// The parameters of the call.
        package struct Request: JSONMessage, Hashable {
            package var identifier: String

            /// The message from its fields.
            package init(identifier: String) {
                self.identifier = identifier
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var identifier: String?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("identifier") {
                        identifier = try reader.readString()
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let identifier else { throw JSONError(.missingField("identifier"), at: start) }
                self.identifier = identifier
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("identifier", identifier)
                writer.endObject()
            }
        }

        /// The answer.
        package struct Reply: JSONMessage, Hashable {
            /// The message from its fields.
            package init() {}

            package init(from reader: inout JSONReader) throws(JSONError) {
                try reader.beginObject()
                while try reader.nextKey() { try reader.skipValue() }
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.endObject()
            }
        }
    }
}

extension ContainerInterface {
    /// Compares the whole tree with the index again. Live queries get the differences as updates. A container whose
    /// directory cannot be read is looked for again; if it is still unavailable, that is an error.
    package enum Rescan: VarlinkMethod {
        package static let name = "io.gatherd.Container.Rescan"

        /// The parameters of the call.
        package struct Request: JSONMessage, Hashable {
            package var identifier: String

            /// The message from its fields.
            package init(identifier: String) {
                self.identifier = identifier
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var identifier: String?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("identifier") {
                        identifier = try reader.readString()
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let identifier else { throw JSONError(.missingField("identifier"), at: start) }
                self.identifier = identifier
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("identifier", identifier)
                writer.endObject()
            }
        }

        /// The answer.
        package struct Reply: JSONMessage, Hashable {
            package var added: Int64
            package var changed: Int64
            package var removed: Int64

            /// The message from its fields.
            package init(added: Int64, changed: Int64, removed: Int64) {
                self.added = added
                self.changed = changed
                self.removed = removed
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var added: Int64?
                var changed: Int64?
                var removed: Int64?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("added") {
                        added = try reader.readInteger()
                    } else if reader.keyIs("changed") {
                        changed = try reader.readInteger()
                    } else if reader.keyIs("removed") {
                        removed = try reader.readInteger()
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let added else { throw JSONError(.missingField("added"), at: start) }
                guard let changed else { throw JSONError(.missingField("changed"), at: start) }
                guard let removed else { throw JSONError(.missingField("removed"), at: start) }
                self.added = added
                self.changed = changed
                self.removed = removed
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("added", added)
                writer.field("changed", changed)
                writer.field("removed", removed)
                writer.endObject()
            }
        }
    }
}

extension ContainerInterface {
    /// Takes the directory at a container's path for the container, although it is another one than before: another
    /// disk, an empty directory or a copy. Its mark (.gather/container) counts from now on. If the container is
    /// available, nothing changes. If there is no directory, that is an error.
    package enum Accept: VarlinkMethod {
        package static let name = "io.gatherd.Container.Accept"

        /// The parameters of the call.
        package struct Request: JSONMessage, Hashable {
            package var identifier: String

            /// The message from its fields.
            package init(identifier: String) {
                self.identifier = identifier
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var identifier: String?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("identifier") {
                        identifier = try reader.readString()
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let identifier else { throw JSONError(.missingField("identifier"), at: start) }
                self.identifier = identifier
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("identifier", identifier)
                writer.endObject()
            }
        }

        /// The answer.
        package struct Reply: JSONMessage, Hashable {
            package var container: ContainerDescription

            /// The message from its fields.
            package init(container: ContainerDescription) {
                self.container = container
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var container: ContainerDescription?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("container") {
                        container = try ContainerDescription(from: &reader)
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let container else { throw JSONError(.missingField("container"), at: start) }
                self.container = container
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("container", message: container)
                writer.endObject()
            }
        }
    }
}

extension ContainerInterface {
    /// Returns the identifiers of the containers that List returns to a caller with these credentials. Only root, the
    /// user of the daemon and the user of gather-syncd may call it: gather-syncd hides what the daemon hides from its
    /// callers.
    package enum ReadableBy: VarlinkMethod {
        package static let name = "io.gatherd.Container.ReadableBy"

        /// The parameters of the call.
        package struct Request: JSONMessage, Hashable {
            package var user: Int64
            package var group: Int64
            package var groups: [Int64]

            /// The message from its fields.
            package init(user: Int64, group: Int64, groups: [Int64]) {
                self.user = user
                self.group = group
                self.groups = groups
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var user: Int64?
                var group: Int64?
                var groups: [Int64]?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("user") {
                        user = try reader.readInteger()
                    } else if reader.keyIs("group") {
                        group = try reader.readInteger()
                    } else if reader.keyIs("groups") {
                        groups = try reader.readIntegers()
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let user else { throw JSONError(.missingField("user"), at: start) }
                guard let group else { throw JSONError(.missingField("group"), at: start) }
                guard let groups else { throw JSONError(.missingField("groups"), at: start) }
                self.user = user
                self.group = group
                self.groups = groups
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("user", user)
                writer.field("group", group)
                writer.field("groups", groups)
                writer.endObject()
            }
        }

        /// The answer.
        package struct Reply: JSONMessage, Hashable {
            package var identifiers: [String]

            /// The message from its fields.
            package init(identifiers: [String]) {
                self.identifiers = identifiers
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var identifiers: [String]?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("identifiers") {
                        identifiers = try reader.readStrings()
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let identifiers else { throw JSONError(.missingField("identifiers"), at: start) }
                self.identifiers = identifiers
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("identifiers", identifiers)
                writer.endObject()
            }
        }
    }
}

extension ContainerInterface {
    /// With `more`, replies at once and then after each change of a state.
    package enum Monitor: VarlinkMethod {
        package static let name = "io.gatherd.Container.Monitor"

        /// The parameters of the call.
        package struct Request: JSONMessage, Hashable {
            /// The message from its fields.
            package init() {}

            package init(from reader: inout JSONReader) throws(JSONError) {
                try reader.beginObject()
                while try reader.nextKey() { try reader.skipValue() }
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.endObject()
            }
        }

        /// The answer.
        package struct Reply: JSONMessage, Hashable {
            package var containers: [ContainerDescription]

            /// The message from its fields.
            package init(containers: [ContainerDescription]) {
                self.containers = containers
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var containers: [ContainerDescription]?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("containers") {
                        containers = try reader.readMessages()
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let containers else { throw JSONError(.missingField("containers"), at: start) }
                self.containers = containers
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("containers", messages: containers)
                writer.endObject()
            }
        }
    }
}
