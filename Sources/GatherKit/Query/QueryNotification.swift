// What a live query tells its reader.
// SPDX-License-Identifier: Apache-2.0

/// Something that a live query tells.
///
/// The order is: started; progress, none or more; gathered; then updated, without end. Reconnecting and reconnected can
/// come anywhere after started. Cases may be added; ignore those that you do not know.
public enum QueryNotification: Sendable, Hashable {
    /// The query was accepted, and its result set is empty. `resumed` is true where it goes on from the clock that it was
    /// given: what comes as progress is then the difference since.
    case started(resumed: Bool)

    /// A part of the first results, as `added`; of a resumed query, a part of the difference.
    case progress(QueryChanges)

    /// The first phase is over: everything that matches has been told.
    case gathered

    /// The result set changed.
    case updated(QueryChanges)

    /// The connection to the daemon is lost, for the reason given. The query tries to come back until it is stopped; its
    /// results stay as they are meanwhile.
    case reconnecting(GatherError)

    /// The daemon is back, and what changed meanwhile follows as one update. `resumed` tells whether the daemon knew what
    /// had changed since, or whether the query gathered again and worked out the difference itself.
    case reconnected(resumed: Bool)
}

/// How a result set changed.
public struct QueryChanges: Sendable, Hashable {
    /// Items that did not match before and do now.
    public internal(set) var added: [MetadataItem]
    /// Items that matched before and still do, as they are now.
    public internal(set) var changed: [MetadataItem]
    /// Items that matched before and no longer do, or are gone.
    public internal(set) var removed: [RemovedItem]

    /// Changes from their parts.
    public init(added: [MetadataItem] = [], changed: [MetadataItem] = [], removed: [RemovedItem] = []) {
        self.added = added
        self.changed = changed
        self.removed = removed
    }

    /// Whether there are none.
    public var isEmpty: Bool { added.isEmpty && changed.isEmpty && removed.isEmpty }
}

/// An item that matched and no longer does, or is gone.
public struct RemovedItem: Sendable, Hashable, Identifiable {
    /// The identity it had.
    public internal(set) var id: String
    /// The path it had last; what is not UTF-8 in it is replaced by U+FFFD.
    public let path: String
    /// The path's bytes, where they are not UTF-8.
    private let rawPath: [UInt8]?

    /// A removal from its parts; `rawPath` where the path's bytes are not UTF-8.
    public init(id: String, path: String, rawPath: [UInt8]? = nil) {
        self.id = id
        self.path = path
        self.rawPath = rawPath
    }

    init(_ item: MetadataItem) {
        let path = item.path ?? ""
        let bytes = item.pathBytes
        self.init(id: item.id, path: path, rawPath: bytes.flatMap { $0.elementsEqual(path.utf8) ? nil : $0 })
    }

    /// The path it had last as the system calls take it, whether or not it is UTF-8.
    public var pathBytes: [UInt8] { rawPath ?? Array(path.utf8) }
}
