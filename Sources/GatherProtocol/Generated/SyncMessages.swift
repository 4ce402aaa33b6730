// The messages of io.gatherd.Sync, from the text of the interface.
// Written by Packaging/dev/messages; not to be edited by hand.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// The state of an item. Without `shared` false, other devices get it. `uploadedTo` names the devices that have its
/// present content. `savingDevice` names the device that changed it last. Percentages are from 0 to 100, and
/// missing while nothing is transferred.
package struct SyncStateMessage: JSONMessage, Hashable {
    package var shared: Bool?
    package var download: SyncDownload?
    package var downloading: Bool?
    package var percentDownloaded: Int64?
    package var downloadingError: String?
    package var uploading: Bool?
    package var percentUploaded: Int64?
    package var uploadedTo: [String]?
    package var uploadingError: String?
    package var savingDevice: String?

    /// The message from its fields.
    package init(
        shared: Bool? = nil, download: SyncDownload? = nil, downloading: Bool? = nil, percentDownloaded: Int64? = nil,
        downloadingError: String? = nil, uploading: Bool? = nil, percentUploaded: Int64? = nil,
        uploadedTo: [String]? = nil, uploadingError: String? = nil, savingDevice: String? = nil
    ) {
        self.shared = shared
        self.download = download
        self.downloading = downloading
        self.percentDownloaded = percentDownloaded
        self.downloadingError = downloadingError
        self.uploading = uploading
        self.percentUploaded = percentUploaded
        self.uploadedTo = uploadedTo
        self.uploadingError = uploadingError
        self.savingDevice = savingDevice
    }

    package init(from reader: inout JSONReader) throws(JSONError) {
        var shared: Bool?
        var download: SyncDownload?
        var downloading: Bool?
        var percentDownloaded: Int64?
        var downloadingError: String?
        var uploading: Bool?
        var percentUploaded: Int64?
        var uploadedTo: [String]?
        var uploadingError: String?
        var savingDevice: String?
        try reader.beginObject()
        while try reader.nextKey() {
            if try reader.readNullIfPresent() { continue }
            if reader.keyIs("shared") {
                shared = try reader.readBool()
            } else if reader.keyIs("download") {
                download = try SyncDownload(from: &reader)
            } else if reader.keyIs("downloading") {
                downloading = try reader.readBool()
            } else if reader.keyIs("percentDownloaded") {
                percentDownloaded = try reader.readInteger()
            } else if reader.keyIs("downloadingError") {
                downloadingError = try reader.readString()
            } else if reader.keyIs("uploading") {
                uploading = try reader.readBool()
            } else if reader.keyIs("percentUploaded") {
                percentUploaded = try reader.readInteger()
            } else if reader.keyIs("uploadedTo") {
                uploadedTo = try reader.readStrings()
            } else if reader.keyIs("uploadingError") {
                uploadingError = try reader.readString()
            } else if reader.keyIs("savingDevice") {
                savingDevice = try reader.readString()
            } else {
                try reader.skipValue()
            }
        }
        self.shared = shared
        self.download = download
        self.downloading = downloading
        self.percentDownloaded = percentDownloaded
        self.downloadingError = downloadingError
        self.uploading = uploading
        self.percentUploaded = percentUploaded
        self.uploadedTo = uploadedTo
        self.uploadingError = uploadingError
        self.savingDevice = savingDevice
    }

    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("shared", shared)
        writer.field("download", message: download)
        writer.field("downloading", downloading)
        writer.field("percentDownloaded", percentDownloaded)
        writer.field("downloadingError", downloadingError)
        writer.field("uploading", uploading)
        writer.field("percentUploaded", percentUploaded)
        writer.field("uploadedTo", uploadedTo)
        writer.field("uploadingError", uploadingError)
        writer.field("savingDevice", savingDevice)
        writer.endObject()
    }
}

/// An item by its path below the container's directory. Without a state it has the one of all items. An item with
/// `size` whose `download` is notDownloaded becomes an item although no file is here, in a directory that is here.
/// `modified` is in nanoseconds since 1970. Without a state, such an item is gone. With `leaving`, the file here is
/// about to be removed: the item stays then, as notDownloaded. Items that are not here are told again in each
/// session: the first report with a clock ends those that were not told.
package struct SyncItemMessage: JSONMessage, Hashable {
    package var path: String
    package var state: SyncStateMessage?
    package var size: Int64?
    package var modified: Int64?
    package var leaving: Bool?

    /// The message from its fields.
    package init(
        path: String, state: SyncStateMessage? = nil, size: Int64? = nil, modified: Int64? = nil, leaving: Bool? = nil
    ) {
        self.path = path
        self.state = state
        self.size = size
        self.modified = modified
        self.leaving = leaving
    }

    package init(from reader: inout JSONReader) throws(JSONError) {
        let start = reader.position
        var path: String?
        var state: SyncStateMessage?
        var size: Int64?
        var modified: Int64?
        var leaving: Bool?
        try reader.beginObject()
        while try reader.nextKey() {
            if try reader.readNullIfPresent() { continue }
            if reader.keyIs("path") {
                path = try reader.readString()
            } else if reader.keyIs("state") {
                state = try SyncStateMessage(from: &reader)
            } else if reader.keyIs("size") {
                size = try reader.readInteger()
            } else if reader.keyIs("modified") {
                modified = try reader.readInteger()
            } else if reader.keyIs("leaving") {
                leaving = try reader.readBool()
            } else {
                try reader.skipValue()
            }
        }
        guard let path else { throw JSONError(.missingField("path"), at: start) }
        self.path = path
        self.state = state
        self.size = size
        self.modified = modified
        self.leaving = leaving
    }

    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("path", path)
        writer.field("state", message: state)
        writer.field("size", size)
        writer.field("modified", modified)
        writer.field("leaving", leaving)
        writer.endObject()
    }
}

extension SyncInterface {
    /// Begins to tell the state of a container, which has to be shared (`sync`). Wants `more`. Replies once, when the
    /// container is exact, and then lasts until the connection ends: the states are unknown from then on. From this
    /// reply on, gatherd notes which items change. An earlier Attach for the same container ends with Superseded.
    /// `clock` is the one of the container at that moment.
    package enum Attach: VarlinkMethod {
        package static let name = "io.gatherd.Sync.Attach"

        /// The parameters of the call.
        package struct Request: JSONMessage, Hashable {
            package var container: String

            /// The message from its fields.
            package init(container: String) {
                self.container = container
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var container: String?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("container") {
                        container = try reader.readString()
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let container else { throw JSONError(.missingField("container"), at: start) }
                self.container = container
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("container", container)
                writer.endObject()
            }
        }

        /// The answer.
        package struct Reply: JSONMessage, Hashable {
            package var session: Int64
            package var clock: String

            /// The message from its fields.
            package init(session: Int64, clock: String) {
                self.session = session
                self.clock = clock
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var session: Int64?
                var clock: String?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("session") {
                        session = try reader.readInteger()
                    } else if reader.keyIs("clock") {
                        clock = try reader.readString()
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let session else { throw JSONError(.missingField("session"), at: start) }
                guard let clock else { throw JSONError(.missingField("clock"), at: start) }
                self.session = session
                self.clock = clock
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("session", session)
                writer.field("clock", clock)
                writer.endObject()
            }
        }
    }
}

extension SyncInterface {
    /// Tells states. `base` becomes the state of all items that have none of their own. An item that changed has no
    /// device that has it (`uploadedTo` is empty), whatever was told, until a report with a clock `through` that is not
    /// before the change. Items of this report keep their state then; the others that had changed get the base state.
    /// States of paths at which there is no item are ignored. `changed` counts the items of the report whose state,
    /// size or date it changed, without those that have changed since.
    package enum Report: VarlinkMethod {
        package static let name = "io.gatherd.Sync.Report"

        /// The parameters of the call.
        package struct Request: JSONMessage, Hashable {
            package var session: Int64
            package var base: SyncStateMessage?
            package var items: [SyncItemMessage]?
            package var through: String?

            /// The message from its fields.
            package init(
                session: Int64, base: SyncStateMessage? = nil, items: [SyncItemMessage]? = nil, through: String? = nil
            ) {
                self.session = session
                self.base = base
                self.items = items
                self.through = through
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var session: Int64?
                var base: SyncStateMessage?
                var items: [SyncItemMessage]?
                var through: String?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("session") {
                        session = try reader.readInteger()
                    } else if reader.keyIs("base") {
                        base = try SyncStateMessage(from: &reader)
                    } else if reader.keyIs("items") {
                        items = try reader.readMessages()
                    } else if reader.keyIs("through") {
                        through = try reader.readString()
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let session else { throw JSONError(.missingField("session"), at: start) }
                self.session = session
                self.base = base
                self.items = items
                self.through = through
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("session", session)
                writer.field("base", message: base)
                writer.field("items", messages: items)
                writer.field("through", through)
                writer.endObject()
            }
        }

        /// The answer.
        package struct Reply: JSONMessage, Hashable {
            package var changed: Int64?

            /// The message from its fields.
            package init(changed: Int64? = nil) {
                self.changed = changed
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                var changed: Int64?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("changed") {
                        changed = try reader.readInteger()
                    } else {
                        try reader.skipValue()
                    }
                }
                self.changed = changed
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("changed", changed)
                writer.endObject()
            }
        }
    }
}

extension SyncInterface {
    /// Tells the states as gatherd has them, so that a helper can compare them with its own and report those that
    /// differ. `base` is the state of all items that have none of their own. `items` are those that have one, in parts:
    /// the next call names `next` as `from`, and the last part has no `next`. An item that is not here has its `size`
    /// and `modified`. Left out are items that changed and that no report has covered yet, and items that no other
    /// device can get.
    package enum States: VarlinkMethod {
        package static let name = "io.gatherd.Sync.States"

        /// The parameters of the call.
        package struct Request: JSONMessage, Hashable {
            package var session: Int64
            package var from: Int64?

            /// The message from its fields.
            package init(session: Int64, from: Int64? = nil) {
                self.session = session
                self.from = from
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var session: Int64?
                var from: Int64?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("session") {
                        session = try reader.readInteger()
                    } else if reader.keyIs("from") {
                        from = try reader.readInteger()
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let session else { throw JSONError(.missingField("session"), at: start) }
                self.session = session
                self.from = from
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("session", session)
                writer.field("from", from)
                writer.endObject()
            }
        }

        /// The answer.
        package struct Reply: JSONMessage, Hashable {
            package var base: SyncStateMessage
            package var items: [SyncItemMessage]
            package var next: Int64?

            /// The message from its fields.
            package init(base: SyncStateMessage, items: [SyncItemMessage], next: Int64? = nil) {
                self.base = base
                self.items = items
                self.next = next
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var base: SyncStateMessage?
                var items: [SyncItemMessage]?
                var next: Int64?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("base") {
                        base = try SyncStateMessage(from: &reader)
                    } else if reader.keyIs("items") {
                        items = try reader.readMessages()
                    } else if reader.keyIs("next") {
                        next = try reader.readInteger()
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let base else { throw JSONError(.missingField("base"), at: start) }
                guard let items else { throw JSONError(.missingField("items"), at: start) }
                self.base = base
                self.items = items
                self.next = next
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("base", message: base)
                writer.field("items", messages: items)
                writer.field("next", next)
                writer.endObject()
            }
        }
    }
}
