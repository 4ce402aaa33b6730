// The notifications of a live query.
// SPDX-License-Identifier: Apache-2.0

/// A notification of a live query.
///
/// The order is: started, any number of progress, gathered, then updated without an end. Reconnecting and reconnected
/// can come anywhere after started. Ignore unknown notifications in `@unknown default`.
@nonexhaustive
public enum QueryNotification: Sendable, Hashable {
    /// The query was accepted, and its result set is empty. `resumed` is true if it continues from the given clock:
    /// progress then holds the difference since.
    case started(resumed: Bool)

    /// A part of the first results, as `added`; of a resumed query, a part of the difference. With a ``MetadataQuery/limit``,
    /// also results that others have pushed out.
    case progress(QueryChanges)

    /// The first phase is over: all matches have been reported.
    case gathered

    /// The result set changed.
    case updated(QueryChanges)

    /// The connection to the daemon is lost, or the daemon has ended the query at a limit, with the reason. The query tries to
    /// reconnect until it is stopped. Its results stay readable.
    case reconnecting(GatherError)

    /// The daemon is back. The changes of the meantime follow as one update. `resumed` is false if the daemon did not
    /// know the clock, so that the query gathered again and compared.
    case reconnected(resumed: Bool)
}

/// Changes of a result set.
public struct QueryChanges: Sendable, Hashable {
    /// Items that are results and were none before.
    public internal(set) var added: [MetadataItem]
    /// Items that were results before, still are, and changed.
    public internal(set) var changed: [MetadataItem]
    /// Items that were results before and no longer are: they do not match or exist, or lie beyond the limit.
    public internal(set) var removed: [RemovedItem]

    /// Makes changes from their parts.
    public init(added: [MetadataItem] = [], changed: [MetadataItem] = [], removed: [RemovedItem] = []) {
        self.added = added
        self.changed = changed
        self.removed = removed
    }

    /// Whether there are no changes.
    public var isEmpty: Bool { added.isEmpty && changed.isEmpty && removed.isEmpty }
}

/// An item that was a result and no longer is.
public struct RemovedItem: Sendable, Hashable, Identifiable {
    /// The identity of the item.
    public internal(set) var id: MetadataItem.ID
    /// The last path of the item that readers were told, with U+FFFD for invalid UTF-8. An item that a rename moves beyond the limit has
    /// its former path here.
    public let path: String
    /// The bytes of the path, if they are not UTF-8.
    private let rawPath: [UInt8]?
    /// The path that a reader knows who has seen no earlier change, if it is another one. The item may come back into the limit
    /// before that reader sees the removal.
    private var unreadMove: [UInt8]?

    /// Makes a removal from its parts. `rawPath` has the bytes of a path that is not UTF-8.
    public init(id: MetadataItem.ID, path: String, rawPath: [UInt8]? = nil) {
        self.id = id
        self.path = path
        self.rawPath = rawPath
    }

    init(_ item: MetadataItem) {
        let path = item.path ?? ""
        let bytes = item.pathBytes
        self.init(id: item.id, path: path, rawPath: bytes.flatMap { $0.elementsEqual(path.utf8) ? nil : $0 })
    }

    /// The last path as bytes, as system calls take it.
    public var pathBytes: [UInt8] { rawPath ?? Array(path.utf8) }

    var toldPath: [UInt8] {
        get { unreadMove ?? pathBytes }
        set { unreadMove = newValue == pathBytes ? nil : newValue }
    }

    /// Returns whether both are of one item with one path.
    public static func == (a: RemovedItem, b: RemovedItem) -> Bool {
        a.id == b.id && a.path == b.path && a.rawPath == b.rawPath
    }

    /// Hashes the item and its path.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(id)
        hasher.combine(path)
        hasher.combine(rawPath)
    }
}
