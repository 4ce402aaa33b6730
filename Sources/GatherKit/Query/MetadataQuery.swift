// The live query of the public client.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A live query over watched containers: it gathers every item that matches now, then follows each change to that answer
/// until it is stopped.
///
/// ```swift
/// let query = MetadataQuery(predicate: "name LIKE 'Item_*'", scopes: [.documents(ofContainer: "grocery")])
/// try await query.start()
/// for try await notification in query.notifications {
///     switch notification {
///     case .progress(let changes), .updated(let changes): show(changes)
///     case .gathered: print("\(query.resultCount) items")
///     default: break
///     }
/// }
/// ```
///
/// ## Results and notifications
/// ``results`` is what matches as far as the daemon has told. ``notifications`` tells each reader the whole story:
/// whoever applies `added`, `changed` and `removed` in the order they come has the result set, whenever it begins to
/// read. A reader that is slow loses nothing and holds nobody up: what it has not taken yet is merged, one change for each
/// item. Use ``disableUpdates()`` around code that wants the results to hold still.
///
/// ## When the daemon restarts
/// The query says ``QueryNotification/reconnecting(_:)``, tries again until the daemon is back, and goes on from its
/// ``clock``. Where the daemon does not know that clock any more, the query gathers anew, compares, and reports only what
/// differs. Its results stay readable meanwhile.
///
/// ## Threads
/// Every member may be used from any thread or task. Setting ``predicate``, ``scopes``, ``attributes`` or
/// ``batchingInterval`` of a query that runs begins it anew, with a new ``QueryNotification/started(resumed:)``. A query
/// that nobody holds any more, neither it nor its ``notifications``, stops.
public final class MetadataQuery: Sendable {
    /// What is asked for of each item unless said otherwise.
    public static let defaultAttributes: [Attribute] = [.name, .path, .kind, .size, .modified]

    private let core: QueryCore

    /// A query, not started yet.
    ///
    /// - Parameters:
    ///   - predicate: What has to be true of an item; an empty text matches everything.
    ///   - scopes: Where to look; nowhere in particular means every container that this user may read.
    ///   - attributes: What is told of each item.
    ///   - sortKeys: The order of ``results``; without, they stand as they came.
    ///   - batchingInterval: How long the daemon may hold changes back to merge them; zero sends each at once.
    ///   - clock: A ``MetadataQuery/clock`` of an earlier query for the same: where the daemon still knows it, only what
    ///     changed since is told, and ``results`` holds no more than that.
    ///   - socket: The daemon.
    public init(
        predicate: String, scopes: [SearchScope] = [], attributes: [Attribute] = defaultAttributes,
        sortedBy sortKeys: [SortKey] = [], batchingInterval: Duration = .zero, since clock: String? = nil,
        socket: DaemonSocket = .find()
    ) {
        core = QueryCore(
            socket: socket,
            configuration: QueryConfiguration(
                predicate: predicate, scopes: scopes, attributes: attributes, batchingInterval: batchingInterval,
                resumeClock: clock, arrangement: ResultArrangement(sortKeys: sortKeys)))
    }

    deinit { core.stop() }

    // MARK: What is asked

    /// What has to be true of an item.
    public var predicate: String {
        get { core.configuration.predicate }
        set { core.configure { $0.predicate = newValue } }
    }

    /// Where to look; empty means every container that this user may read.
    public var scopes: [SearchScope] {
        get { core.configuration.scopes }
        set { core.configure { $0.scopes = newValue } }
    }

    /// What is told of each item.
    public var attributes: [Attribute] {
        get { core.configuration.attributes }
        set { core.configure { $0.attributes = newValue } }
    }

    /// How long the daemon may hold changes back to merge them, in whole milliseconds.
    public var batchingInterval: Duration {
        get { core.configuration.batchingInterval }
        set { core.configure { $0.batchingInterval = newValue } }
    }

    // MARK: How results are presented

    /// The order of ``results``: the first key that differs decides; items that are equal in all stand as they came. Text
    /// goes in natural order (`a2` before `a10`), what has no value comes first. Setting it, or the two below, begins a
    /// query that runs anew only where it needs attributes that were not asked for.
    public var sortKeys: [SortKey] {
        get { core.configuration.arrangement.sortKeys }
        set { core.configure { $0.arrangement.sortKeys = newValue } }
    }

    /// The attributes whose distinct values are collected in ``valueLists``.
    public var valueListAttributes: [Attribute] {
        get { core.configuration.arrangement.valueListAttributes }
        set { core.configure { $0.arrangement.valueListAttributes = newValue } }
    }

    /// The attributes by which ``groupedResults`` are grouped: by the first, within these groups by the next.
    public var groupingAttributes: [Attribute] {
        get { core.configuration.arrangement.groupingAttributes }
        set { core.configure { $0.arrangement.groupingAttributes = newValue } }
    }

    // MARK: Running

    /// Starts the query, and returns when the daemon has accepted it. Where it runs already, nothing happens. Results of an
    /// earlier run are gone.
    ///
    /// - Throws: ``GatherError`` where the daemon cannot be reached or does not accept the query. From here on a lost
    ///   connection is no error: the query comes back by itself.
    public func start() async throws(GatherError) { try await core.start() }

    /// Stops the query. Its results stay readable; its ``notifications`` end when those that wait have been read.
    public func stop() { core.stop() }

    /// Whether the query was started and neither stopped nor failed.
    public var isRunning: Bool { core.read { $0.isRunning } }

    /// Whether the query is in its first phase.
    public var isGathering: Bool { core.read { $0.isGathering } }

    // MARK: Results

    /// The items that match, in the order of ``sortKeys``. Costs O(n), after many changes O(n log n); keep what it returns
    /// rather than asking again.
    public var results: [MetadataItem] { core.withResults { $0.arranged() } }

    /// The distinct values of each of the ``valueListAttributes`` over the results and how many results have them, most
    /// frequent first; of results that have no value `MetadataValue.none` tells how many. They are counted as changes
    /// come: reading costs O(values log values).
    public var valueLists: [Attribute: [AttributeValueCount]] { core.withResults { $0.valueLists } }

    /// The results by their values of the ``groupingAttributes``, in the order of the values; a result with several values,
    /// such as tags, is in several groups. Costs O(n log n).
    public var groupedResults: [ResultGroup] { core.withResults { $0.groups() } }

    /// How many items match.
    public var resultCount: Int { core.read { $0.visibleResults.count } }

    /// The item with this identity, where it matches.
    public func result(withID id: MetadataItem.ID) -> MetadataItem? { core.read { $0.visibleResults[id] } }

    /// The clock up to which everything is in ``results``, for a query of a later life to go on from; nil before the first
    /// phase is over. Opaque.
    public var clock: String? { core.read { $0.visibleClock } }

    /// The containers for which the results may be wrong, because they are degraded or unavailable.
    public var inexactContainers: [String] { core.read { $0.inexact } }

    /// Holds the results still: ``results`` does not change and nothing is told, while the query goes on behind. Calls
    /// nest.
    public func disableUpdates() { core.freeze() }

    /// Ends what the last ``disableUpdates()`` began. With the outermost, what came meanwhile is told as one update. A
    /// surplus call does nothing.
    public func enableUpdates() { core.thaw() }

    /// Calls `body` with the results held still.
    public func withUpdatesDisabled<Result, Failure: Error>(
        _ body: ([MetadataItem]) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        disableUpdates()
        defer { enableUpdates() }
        return try body(results)
    }

    // MARK: Notifications

    /// What the query tells, from its beginning. Each iterator is a reader of its own, and is told what came before it,
    /// condensed. The sequence ends when the query is stopped, and throws ``GatherError`` when the daemon refuses to go on.
    public var notifications: Notifications { Notifications(query: self) }

    /// The notifications of one query.
    public struct Notifications: AsyncSequence, Sendable {
        /// What is told.
        public typealias Element = QueryNotification
        /// How the sequence fails.
        public typealias Failure = GatherError

        fileprivate let query: MetadataQuery

        /// A reader, which is told everything from the beginning.
        public func makeAsyncIterator() -> Iterator { Iterator(reader: Reader(query: query)) }

        /// One reader.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let reader: Reader

            /// The next notification; nil when the query has been stopped, or the task is cancelled.
            public mutating func next() async throws(GatherError) -> QueryNotification? {
                try await next(isolation: nil)
            }

            /// The next notification; nil when the query has been stopped, or the task is cancelled.
            public mutating func next(
                isolation actor: isolated (any Actor)?
            ) async throws(GatherError) -> QueryNotification? {
                try await reader.query.core.next(for: reader.number, isolation: actor)
            }
        }
    }

    /// Keeps the query alive for as long as somebody reads it, and its place in the queue for as long as that.
    fileprivate final class Reader: Sendable {
        let query: MetadataQuery
        let number: UInt64

        init(query: MetadataQuery) {
            self.query = query
            number = query.core.addReader()
        }

        deinit { query.core.removeReader(number) }
    }
}
