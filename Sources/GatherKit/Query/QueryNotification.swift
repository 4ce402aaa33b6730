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
    /// The bytes of the path.
    package let pathBytes: [UInt8]
    /// The path that a reader knows who has seen no earlier change, if it is another one. The item may come back into the limit
    /// before that reader sees the removal.
    private var unreadMove: [UInt8]?

    /// Makes a removal from its parts.
    public init(id: MetadataItem.ID, filePath: FilePath) { self.init(id: id, pathBytes: filePath.bytes) }

    init(id: MetadataItem.ID, pathBytes: [UInt8]) {
        self.id = id
        self.pathBytes = pathBytes
    }

    init(_ item: MetadataItem) { self.init(id: item.id, pathBytes: item.pathBytes ?? []) }

    /// The last path of the item that readers were told, as a text, with U+FFFD for invalid UTF-8. An item that a rename moves beyond
    /// the limit has its former path here.
    public var path: String { String(decoding: pathBytes, as: UTF8.self) }

    /// The path as system calls take it.
    public var filePath: FilePath { FilePath(bytes: pathBytes) }

    var toldPath: [UInt8] {
        get { unreadMove ?? pathBytes }
        set { unreadMove = newValue == pathBytes ? nil : newValue }
    }

    /// Returns whether both are of one item with one path.
    public static func == (a: RemovedItem, b: RemovedItem) -> Bool {
        a.id == b.id && a.pathBytes == b.pathBytes
    }

    /// Hashes the item and its path.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(id)
        hasher.combine(pathBytes)
    }
}
