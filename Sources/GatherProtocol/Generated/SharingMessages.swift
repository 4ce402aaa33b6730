// The messages of io.gatherd.Sharing, from the text of the interface.
// Written by Packaging/dev/messages; not to be edited by hand.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// A device. `connected` is whether it is now. `lastSeen` is a time of RFC 3339. Rates are in bytes a second.
/// `asks` is true for one that wants to connect and is not known yet.
package struct SharedDevice: JSONMessage, Hashable {
    package var identifier: String
    package var name: String
    package var here: Bool
    package var connected: Bool
    package var paused: Bool?
    package var asks: Bool?
    package var address: String?
    package var version: String?
    package var lastSeen: String?
    package var receiving: Int64?
    package var sending: Int64?

    /// The message from its fields.
    package init(
        identifier: String, name: String, here: Bool, connected: Bool, paused: Bool? = nil, asks: Bool? = nil,
        address: String? = nil, version: String? = nil, lastSeen: String? = nil, receiving: Int64? = nil,
        sending: Int64? = nil
    ) {
        self.identifier = identifier
        self.name = name
        self.here = here
        self.connected = connected
        self.paused = paused
        self.asks = asks
        self.address = address
        self.version = version
        self.lastSeen = lastSeen
        self.receiving = receiving
        self.sending = sending
    }

    package init(from reader: inout JSONReader) throws(JSONError) {
        let start = reader.position
        var identifier: String?
        var name: String?
        var here: Bool?
        var connected: Bool?
        var paused: Bool?
        var asks: Bool?
        var address: String?
        var version: String?
        var lastSeen: String?
        var receiving: Int64?
        var sending: Int64?
        try reader.beginObject()
        while try reader.nextKey() {
            if try reader.readNullIfPresent() { continue }
            if reader.keyIs("identifier") {
                identifier = try reader.readString()
            } else if reader.keyIs("name") {
                name = try reader.readString()
            } else if reader.keyIs("here") {
                here = try reader.readBool()
            } else if reader.keyIs("connected") {
                connected = try reader.readBool()
            } else if reader.keyIs("paused") {
                paused = try reader.readBool()
            } else if reader.keyIs("asks") {
                asks = try reader.readBool()
            } else if reader.keyIs("address") {
                address = try reader.readString()
            } else if reader.keyIs("version") {
                version = try reader.readString()
            } else if reader.keyIs("lastSeen") {
                lastSeen = try reader.readString()
            } else if reader.keyIs("receiving") {
                receiving = try reader.readInteger()
            } else if reader.keyIs("sending") {
                sending = try reader.readInteger()
            } else {
                try reader.skipValue()
            }
        }
        guard let identifier else { throw JSONError(.missingField("identifier"), at: start) }
        guard let name else { throw JSONError(.missingField("name"), at: start) }
        guard let here else { throw JSONError(.missingField("here"), at: start) }
        guard let connected else { throw JSONError(.missingField("connected"), at: start) }
        self.identifier = identifier
        self.name = name
        self.here = here
        self.connected = connected
        self.paused = paused
        self.asks = asks
        self.address = address
        self.version = version
        self.lastSeen = lastSeen
        self.receiving = receiving
        self.sending = sending
    }

    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("identifier", identifier)
        writer.field("name", name)
        writer.field("here", here)
        writer.field("connected", connected)
        writer.field("paused", paused)
        writer.field("asks", asks)
        writer.field("address", address)
        writer.field("version", version)
        writer.field("lastSeen", lastSeen)
        writer.field("receiving", receiving)
        writer.field("sending", sending)
        writer.endObject()
    }
}

/// How much of a folder a device has. `missing` counts items, and `missingBytes` their bytes.
package struct FolderShare: JSONMessage, Hashable {
    package var device: String
    package var completion: Double
    package var missing: Int64
    package var missingBytes: Int64

    /// The message from its fields.
    package init(device: String, completion: Double, missing: Int64, missingBytes: Int64) {
        self.device = device
        self.completion = completion
        self.missing = missing
        self.missingBytes = missingBytes
    }

    package init(from reader: inout JSONReader) throws(JSONError) {
        let start = reader.position
        var device: String?
        var completion: Double?
        var missing: Int64?
        var missingBytes: Int64?
        try reader.beginObject()
        while try reader.nextKey() {
            if try reader.readNullIfPresent() { continue }
            if reader.keyIs("device") {
                device = try reader.readString()
            } else if reader.keyIs("completion") {
                completion = try reader.readDouble()
            } else if reader.keyIs("missing") {
                missing = try reader.readInteger()
            } else if reader.keyIs("missingBytes") {
                missingBytes = try reader.readInteger()
            } else {
                try reader.skipValue()
            }
        }
        guard let device else { throw JSONError(.missingField("device"), at: start) }
        guard let completion else { throw JSONError(.missingField("completion"), at: start) }
        guard let missing else { throw JSONError(.missingField("missing"), at: start) }
        guard let missingBytes else { throw JSONError(.missingField("missingBytes"), at: start) }
        self.device = device
        self.completion = completion
        self.missing = missing
        self.missingBytes = missingBytes
    }

    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("device", device)
        writer.field("completion", completion)
        writer.field("missing", missing)
        writer.field("missingBytes", missingBytes)
        writer.endObject()
    }
}

/// A folder of Syncthing inside a shared container. `state` is Syncthing's word: idle, scanning, syncing, error and
/// others. `missing` and `missingBytes` count items of others that are not here yet.
package struct SharedFolderMessage: JSONMessage, Hashable {
    package var identifier: String
    package var container: String
    package var path: String
    package var state: String
    package var error: String?
    package var paused: Bool?
    package var items: Int64
    package var bytes: Int64
    package var missing: Int64
    package var missingBytes: Int64
    package var shares: [FolderShare]

    /// The message from its fields.
    package init(
        identifier: String, container: String, path: String, state: String, error: String? = nil, paused: Bool? = nil,
        items: Int64, bytes: Int64, missing: Int64, missingBytes: Int64, shares: [FolderShare]
    ) {
        self.identifier = identifier
        self.container = container
        self.path = path
        self.state = state
        self.error = error
        self.paused = paused
        self.items = items
        self.bytes = bytes
        self.missing = missing
        self.missingBytes = missingBytes
        self.shares = shares
    }

    package init(from reader: inout JSONReader) throws(JSONError) {
        let start = reader.position
        var identifier: String?
        var container: String?
        var path: String?
        var state: String?
        var error: String?
        var paused: Bool?
        var items: Int64?
        var bytes: Int64?
        var missing: Int64?
        var missingBytes: Int64?
        var shares: [FolderShare]?
        try reader.beginObject()
        while try reader.nextKey() {
            if try reader.readNullIfPresent() { continue }
            if reader.keyIs("identifier") {
                identifier = try reader.readString()
            } else if reader.keyIs("container") {
                container = try reader.readString()
            } else if reader.keyIs("path") {
                path = try reader.readString()
            } else if reader.keyIs("state") {
                state = try reader.readString()
            } else if reader.keyIs("error") {
                error = try reader.readString()
            } else if reader.keyIs("paused") {
                paused = try reader.readBool()
            } else if reader.keyIs("items") {
                items = try reader.readInteger()
            } else if reader.keyIs("bytes") {
                bytes = try reader.readInteger()
            } else if reader.keyIs("missing") {
                missing = try reader.readInteger()
            } else if reader.keyIs("missingBytes") {
                missingBytes = try reader.readInteger()
            } else if reader.keyIs("shares") {
                shares = try reader.readMessages()
            } else {
                try reader.skipValue()
            }
        }
        guard let identifier else { throw JSONError(.missingField("identifier"), at: start) }
        guard let container else { throw JSONError(.missingField("container"), at: start) }
        guard let path else { throw JSONError(.missingField("path"), at: start) }
        guard let state else { throw JSONError(.missingField("state"), at: start) }
        guard let items else { throw JSONError(.missingField("items"), at: start) }
        guard let bytes else { throw JSONError(.missingField("bytes"), at: start) }
        guard let missing else { throw JSONError(.missingField("missing"), at: start) }
        guard let missingBytes else { throw JSONError(.missingField("missingBytes"), at: start) }
        guard let shares else { throw JSONError(.missingField("shares"), at: start) }
        self.identifier = identifier
        self.container = container
        self.path = path
        self.state = state
        self.error = error
        self.paused = paused
        self.items = items
        self.bytes = bytes
        self.missing = missing
        self.missingBytes = missingBytes
        self.shares = shares
    }

    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("identifier", identifier)
        writer.field("container", container)
        writer.field("path", path)
        writer.field("state", state)
        writer.field("error", error)
        writer.field("paused", paused)
        writer.field("items", items)
        writer.field("bytes", bytes)
        writer.field("missing", missing)
        writer.field("missingBytes", missingBytes)
        writer.field("shares", messages: shares)
        writer.endObject()
    }
}

/// A folder that a device offers, which is not accepted yet. `container` is what it is called there.
package struct FolderOffer: JSONMessage, Hashable {
    package var device: String
    package var folder: String
    package var container: String

    /// The message from its fields.
    package init(device: String, folder: String, container: String) {
        self.device = device
        self.folder = folder
        self.container = container
    }

    package init(from reader: inout JSONReader) throws(JSONError) {
        let start = reader.position
        var device: String?
        var folder: String?
        var container: String?
        try reader.beginObject()
        while try reader.nextKey() {
            if try reader.readNullIfPresent() { continue }
            if reader.keyIs("device") {
                device = try reader.readString()
            } else if reader.keyIs("folder") {
                folder = try reader.readString()
            } else if reader.keyIs("container") {
                container = try reader.readString()
            } else {
                try reader.skipValue()
            }
        }
        guard let device else { throw JSONError(.missingField("device"), at: start) }
        guard let folder else { throw JSONError(.missingField("folder"), at: start) }
        guard let container else { throw JSONError(.missingField("container"), at: start) }
        self.device = device
        self.folder = folder
        self.container = container
    }

    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("device", device)
        writer.field("folder", folder)
        writer.field("container", container)
        writer.endObject()
    }
}

/// A mistake in the settings of Syncthing. `kind` is one word for programs: notRunning, oldVersion, noFolder,
/// otherPath, ignored, maxConflicts, caseSensitive, ownWatcher, clock, marker, folderError, itemErrors, paused,
/// tls, conflict, notWritable, stranger. `remedy` is a command or a sentence.
package struct SharingFindingMessage: JSONMessage, Hashable {
    package var kind: String
    package var container: String?
    package var device: String?
    package var message: String
    package var remedy: String?

    /// The message from its fields.
    package init(kind: String, container: String? = nil, device: String? = nil, message: String, remedy: String? = nil)
    {
        self.kind = kind
        self.container = container
        self.device = device
        self.message = message
        self.remedy = remedy
    }

    package init(from reader: inout JSONReader) throws(JSONError) {
        let start = reader.position
        var kind: String?
        var container: String?
        var device: String?
        var message: String?
        var remedy: String?
        try reader.beginObject()
        while try reader.nextKey() {
            if try reader.readNullIfPresent() { continue }
            if reader.keyIs("kind") {
                kind = try reader.readString()
            } else if reader.keyIs("container") {
                container = try reader.readString()
            } else if reader.keyIs("device") {
                device = try reader.readString()
            } else if reader.keyIs("message") {
                message = try reader.readString()
            } else if reader.keyIs("remedy") {
                remedy = try reader.readString()
            } else {
                try reader.skipValue()
            }
        }
        guard let kind else { throw JSONError(.missingField("kind"), at: start) }
        guard let message else { throw JSONError(.missingField("message"), at: start) }
        self.kind = kind
        self.container = container
        self.device = device
        self.message = message
        self.remedy = remedy
    }

    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("kind", kind)
        writer.field("container", container)
        writer.field("device", device)
        writer.field("message", message)
        writer.field("remedy", remedy)
        writer.endObject()
    }
}

extension SharingInterface {
    /// Status and Check leave out the containers that gatherd does not list to the caller, and the offers of their
    /// names. `running` is whether Syncthing answers. `reason` says why it does not. `corrections` counts the
    /// differences between Syncthing, this program and gatherd that it has found and set right. With `more`, replies
    /// again after changes, at most once a second.
    package enum Status: VarlinkMethod {
        package static let name = "io.gatherd.Sharing.Status"

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
            package var running: Bool
            package var reason: String?
            package var version: String?
            package var devices: [SharedDevice]
            package var folders: [SharedFolderMessage]
            package var offers: [FolderOffer]
            package var corrections: Int64?

            /// The message from its fields.
            package init(
                running: Bool, reason: String? = nil, version: String? = nil, devices: [SharedDevice],
                folders: [SharedFolderMessage], offers: [FolderOffer], corrections: Int64? = nil
            ) {
                self.running = running
                self.reason = reason
                self.version = version
                self.devices = devices
                self.folders = folders
                self.offers = offers
                self.corrections = corrections
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var running: Bool?
                var reason: String?
                var version: String?
                var devices: [SharedDevice]?
                var folders: [SharedFolderMessage]?
                var offers: [FolderOffer]?
                var corrections: Int64?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("running") {
                        running = try reader.readBool()
                    } else if reader.keyIs("reason") {
                        reason = try reader.readString()
                    } else if reader.keyIs("version") {
                        version = try reader.readString()
                    } else if reader.keyIs("devices") {
                        devices = try reader.readMessages()
                    } else if reader.keyIs("folders") {
                        folders = try reader.readMessages()
                    } else if reader.keyIs("offers") {
                        offers = try reader.readMessages()
                    } else if reader.keyIs("corrections") {
                        corrections = try reader.readInteger()
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let running else { throw JSONError(.missingField("running"), at: start) }
                guard let devices else { throw JSONError(.missingField("devices"), at: start) }
                guard let folders else { throw JSONError(.missingField("folders"), at: start) }
                guard let offers else { throw JSONError(.missingField("offers"), at: start) }
                self.running = running
                self.reason = reason
                self.version = version
                self.devices = devices
                self.folders = folders
                self.offers = offers
                self.corrections = corrections
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("running", running)
                writer.field("reason", reason)
                writer.field("version", version)
                writer.field("devices", messages: devices)
                writer.field("folders", messages: folders)
                writer.field("offers", messages: offers)
                writer.field("corrections", corrections)
                writer.endObject()
            }
        }
    }
}

extension SharingInterface {
    /// Compares Syncthing's settings with those that Gather needs.
    package enum Check: VarlinkMethod {
        package static let name = "io.gatherd.Sharing.Check"

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
            package var findings: [SharingFindingMessage]

            /// The message from its fields.
            package init(findings: [SharingFindingMessage]) {
                self.findings = findings
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var findings: [SharingFindingMessage]?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("findings") {
                        findings = try reader.readMessages()
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let findings else { throw JSONError(.missingField("findings"), at: start) }
                self.findings = findings
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("findings", messages: findings)
                writer.endObject()
            }
        }
    }
}

extension SharingInterface {
    /// Shares a container, also with more devices. Folders are made where there are none. gatherd has to know the
    /// container as shared already.
    package enum Share: VarlinkMethod {
        package static let name = "io.gatherd.Sharing.Share"

        /// The parameters of the call.
        package struct Request: JSONMessage, Hashable {
            package var container: String
            package var devices: [String]

            /// The message from its fields.
            package init(container: String, devices: [String]) {
                self.container = container
                self.devices = devices
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var container: String?
                var devices: [String]?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("container") {
                        container = try reader.readString()
                    } else if reader.keyIs("devices") {
                        devices = try reader.readStrings()
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let container else { throw JSONError(.missingField("container"), at: start) }
                guard let devices else { throw JSONError(.missingField("devices"), at: start) }
                self.container = container
                self.devices = devices
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("container", container)
                writer.field("devices", devices)
                writer.endObject()
            }
        }

        /// The answer.
        package struct Reply: JSONMessage, Hashable {
            package var folders: [SharedFolderMessage]

            /// The message from its fields.
            package init(folders: [SharedFolderMessage]) {
                self.folders = folders
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var folders: [SharedFolderMessage]?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("folders") {
                        folders = try reader.readMessages()
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let folders else { throw JSONError(.missingField("folders"), at: start) }
                self.folders = folders
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("folders", messages: folders)
                writer.endObject()
            }
        }
    }
}

extension SharingInterface {
    /// Shares a container no longer: with these devices, or with none (the folders are removed from Syncthing's
    /// settings; no file is).
    package enum Unshare: VarlinkMethod {
        package static let name = "io.gatherd.Sharing.Unshare"

        /// The parameters of the call.
        package struct Request: JSONMessage, Hashable {
            package var container: String
            package var devices: [String]?

            /// The message from its fields.
            package init(container: String, devices: [String]? = nil) {
                self.container = container
                self.devices = devices
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var container: String?
                var devices: [String]?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("container") {
                        container = try reader.readString()
                    } else if reader.keyIs("devices") {
                        devices = try reader.readStrings()
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let container else { throw JSONError(.missingField("container"), at: start) }
                self.container = container
                self.devices = devices
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("container", container)
                writer.field("devices", devices)
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

extension SharingInterface {
    /// Adds a device that may connect, with a name of its own if given, and addresses instead of `dynamic`.
    package enum AddDevice: VarlinkMethod {
        package static let name = "io.gatherd.Sharing.AddDevice"

        /// The parameters of the call.
        package struct Request: JSONMessage, Hashable {
            package var device: String
            package var name: String?
            package var addresses: [String]?

            /// The message from its fields.
            package init(device: String, name: String? = nil, addresses: [String]? = nil) {
                self.device = device
                self.name = name
                self.addresses = addresses
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var device: String?
                var name: String?
                var addresses: [String]?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("device") {
                        device = try reader.readString()
                    } else if reader.keyIs("name") {
                        name = try reader.readString()
                    } else if reader.keyIs("addresses") {
                        addresses = try reader.readStrings()
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let device else { throw JSONError(.missingField("device"), at: start) }
                self.device = device
                self.name = name
                self.addresses = addresses
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("device", device)
                writer.field("name", name)
                writer.field("addresses", addresses)
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

extension SharingInterface {
    package enum RemoveDevice: VarlinkMethod {
        package static let name = "io.gatherd.Sharing.RemoveDevice"

        /// The parameters of the call.
        package struct Request: JSONMessage, Hashable {
            package var device: String

            /// The message from its fields.
            package init(device: String) {
                self.device = device
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var device: String?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("device") {
                        device = try reader.readString()
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let device else { throw JSONError(.missingField("device"), at: start) }
                self.device = device
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("device", device)
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

extension SharingInterface {
    /// Frees the copies here of items, by absolute path, once another device is known to have their present versions.
    /// With `more`, replies for each item.
    package enum Evict: VarlinkMethod {
        package static let name = "io.gatherd.Sharing.Evict"

        /// The parameters of the call.
        package struct Request: JSONMessage, Hashable {
            package var paths: [String]

            /// The message from its fields.
            package init(paths: [String]) {
                self.paths = paths
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var paths: [String]?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("paths") {
                        paths = try reader.readStrings()
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let paths else { throw JSONError(.missingField("paths"), at: start) }
                self.paths = paths
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("paths", paths)
                writer.endObject()
            }
        }

        /// The answer.
        package struct Reply: JSONMessage, Hashable {
            package var path: String
            package var bytes: Int64

            /// The message from its fields.
            package init(path: String, bytes: Int64) {
                self.path = path
                self.bytes = bytes
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var path: String?
                var bytes: Int64?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("path") {
                        path = try reader.readString()
                    } else if reader.keyIs("bytes") {
                        bytes = try reader.readInteger()
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let path else { throw JSONError(.missingField("path"), at: start) }
                guard let bytes else { throw JSONError(.missingField("bytes"), at: start) }
                self.path = path
                self.bytes = bytes
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("path", path)
                writer.field("bytes", bytes)
                writer.endObject()
            }
        }
    }
}

extension SharingInterface {
    /// Brings evicted items back. With `more`, replies as it goes on: `done` of `total` bytes. Ends when all are here.
    package enum Download: VarlinkMethod {
        package static let name = "io.gatherd.Sharing.Download"

        /// The parameters of the call.
        package struct Request: JSONMessage, Hashable {
            package var paths: [String]

            /// The message from its fields.
            package init(paths: [String]) {
                self.paths = paths
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var paths: [String]?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("paths") {
                        paths = try reader.readStrings()
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let paths else { throw JSONError(.missingField("paths"), at: start) }
                self.paths = paths
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("paths", paths)
                writer.endObject()
            }
        }

        /// The answer.
        package struct Reply: JSONMessage, Hashable {
            package var path: String
            package var done: Int64
            package var total: Int64

            /// The message from its fields.
            package init(path: String, done: Int64, total: Int64) {
                self.path = path
                self.done = done
                self.total = total
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var path: String?
                var done: Int64?
                var total: Int64?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("path") {
                        path = try reader.readString()
                    } else if reader.keyIs("done") {
                        done = try reader.readInteger()
                    } else if reader.keyIs("total") {
                        total = try reader.readInteger()
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let path else { throw JSONError(.missingField("path"), at: start) }
                guard let done else { throw JSONError(.missingField("done"), at: start) }
                guard let total else { throw JSONError(.missingField("total"), at: start) }
                self.path = path
                self.done = done
                self.total = total
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("path", path)
                writer.field("done", done)
                writer.field("total", total)
                writer.endObject()
            }
        }
    }
}
