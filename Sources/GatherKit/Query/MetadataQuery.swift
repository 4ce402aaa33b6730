// The live query of the public client.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A live query over watched containers: it gathers every item that matches now, then follows each change to that
/// answer until it is stopped.
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
///
/// ``results`` is the result set as far as the daemon has reported it. Each reader of ``notifications`` receives the whole story: applying `added`, `changed` and `removed` in order yields the result
/// set, whenever the reader begins. A slow reader loses nothing and delays no other. Its unread changes are merged, one
/// for each item. Use ``disableUpdates()`` around code that needs the results to hold still.
///
/// ## When the daemon restarts
///
/// The query sends ``QueryNotification/reconnecting(_:)``, tries again until the daemon is
/// back, and resumes from its ``clock``. If the daemon no longer knows that clock, the query gathers anew, compares,
/// and reports only the differences. Its results stay readable meanwhile.
///
/// The daemon may end a query at a limit, such as that of changes that were not read (``GatherError/Code/limitExceeded``). If the
/// first results were complete, the query resumes in the same way.
///
/// ## Threads
///
/// Every member may be used from any thread or task. Setting ``predicate``, ``scopes``, ``attributes`` or
/// ``batchingInterval`` of a running query begins it anew, with a new ``QueryNotification/started(resumed:)``. A query
/// stops when the last reference to it and to its ``notifications`` is gone.
public final class MetadataQuery: Sendable {
    /// The attributes that a query requests by default.
    public static let defaultAttributes: [Attribute] = [.name, .path, .kind, .size, .modified]

    private let core: QueryCore

    /// Makes a query that is not started yet.
    ///
    /// - Parameters:
    ///   - predicate: The condition on items; an empty text matches everything.
    ///   - scopes: The places to search; empty means every container that this user may read.
    ///   - attributes: The attributes to return of each item.
    ///   - sortKeys: The order of ``results``; without keys, the order of arrival.
    ///   - limit: The most ``results``, the first of that order; nil for all. See ``limit``.
    ///   - batchingInterval: How long the daemon may hold changes back to merge them; zero sends each at once.
    ///   - clock: A ``MetadataQuery/clock`` of an earlier query. If the daemon still knows it, only the changes since then are
    ///     sent, and ``results`` holds no more than those.
    ///   - daemon: The daemon.
    public convenience init(
        predicate: String, scopes: [SearchScope] = [], attributes: [Attribute] = defaultAttributes,
        sortedBy sortKeys: [SortKey] = [], limit: Int? = nil, batchingInterval: Duration = .zero,
        since clock: DaemonClock? = nil, daemon: Daemon = .automatic
    ) {
        self.init(
            predicate: predicate, scopes: scopes, attributes: attributes, sortedBy: sortKeys, limit: limit,
            batchingInterval: batchingInterval, since: clock, socket: daemon.socket)
    }

    /// Makes a query of the daemon at a socket.
    package init(
        predicate: String, scopes: [SearchScope] = [], attributes: [Attribute] = defaultAttributes,
        sortedBy sortKeys: [SortKey] = [], limit: Int? = nil, batchingInterval: Duration = .zero,
        since clock: DaemonClock? = nil, socket: DaemonSocket
    ) {
        core = QueryCore(
            socket: socket,
            configuration: QueryConfiguration(
                predicate: predicate, scopes: scopes, attributes: attributes, batchingInterval: batchingInterval,
                resumeClock: clock,
                arrangement: ResultArrangement(sortKeys: sortKeys, limit: limit.map { max(0, $0) })))
    }

    deinit { core.stop() }

    // MARK: Question

    /// The condition on items.
    public var predicate: String {
        get { core.configuration.predicate }
        set { core.configure { $0.predicate = newValue } }
    }

    /// The places to search; empty means every container that this user may read.
    public var scopes: [SearchScope] {
        get { core.configuration.scopes }
        set { core.configure { $0.scopes = newValue } }
    }

    /// The attributes to return of each item.
    public var attributes: [Attribute] {
        get { core.configuration.attributes }
        set { core.configure { $0.attributes = newValue } }
    }

    /// The time for which the daemon may hold changes back to merge them, in whole milliseconds.
    public var batchingInterval: Duration {
        get { core.configuration.batchingInterval }
        set { core.configure { $0.batchingInterval = newValue } }
    }

    // MARK: Presentation

    /// The order of ``results``: the first key that differs decides; equal items are in the order of arrival. Text is
    /// in natural order (`a2` before `a10`), and a missing value comes first. Setting this or the three properties below
    /// restarts a running query only if it needs attributes that were not requested.
    public var sortKeys: [SortKey] {
        get { core.configuration.arrangement.sortKeys }
        set { core.configure { $0.arrangement.sortKeys = newValue } }
    }

    /// The most ``results``: those that come first in the order of ``sortKeys``; nil for all. Less than zero counts as zero.
    ///
    /// Notifications tell the changes of just these results. An item that another one pushes out is removed, and one that moves
    /// up is added. A new limit or order is told as such changes. It shows at the end of ``disableUpdates()`` if results are
    /// frozen. ``matchCount`` and ``valueLists`` count all matches.
    ///
    /// The daemon sends all matches all the same, and this process holds them. A change costs O(limit), or O(n log n) when more
    /// of the first items are gone than the limit and 256. A limit is for a screen of results: it saves the reader work, and no
    /// memory.
    ///
    /// A query that continues from the ``clock`` of an earlier one does not know the first matches. It has no limit until it
    /// gathers anew.
    public var limit: Int? {
        get { core.configuration.arrangement.limit }
        set { core.configure { $0.arrangement.limit = newValue.map { max(0, $0) } } }
    }

    /// The attributes whose distinct values are collected in ``valueLists``.
    public var valueListAttributes: [Attribute] {
        get { core.configuration.arrangement.valueListAttributes }
        set { core.configure { $0.arrangement.valueListAttributes = newValue } }
    }

    /// The attributes that group ``groupedResults``: by the first, and within each group by the next.
    public var groupingAttributes: [Attribute] {
        get { core.configuration.arrangement.groupingAttributes }
        set { core.configure { $0.arrangement.groupingAttributes = newValue } }
    }

    // MARK: Running

    /// Starts the query, and returns when the daemon has accepted it. A running query is not changed. The results of an
    /// earlier run are dropped.
    ///
    /// If the task is cancelled while it waits, the query stops, unless another task waits for its start. A task that was cancelled
    /// before changes nothing.
    ///
    /// - Throws: ``GatherError`` if the daemon cannot be reached or refuses the query. ``GatherError/Code/cancelled`` if the task
    ///   is cancelled. A connection that is lost later is no error, since the query reconnects.
    public func start() async throws(GatherError) { try await core.start() }

    /// Stops the query. Its results stay readable. ``notifications`` end after the waiting ones were read.
    public func stop() { core.stop() }

    /// Whether the query was started and neither stopped nor failed.
    public var isRunning: Bool { core.read { $0.isRunning } }

    /// Whether the first results are still arriving.
    public var isGathering: Bool { core.read { $0.isGathering } }

    // MARK: Results

    /// The items that match, in the order of ``sortKeys``, up to the ``limit``. An access costs O(n), or O(n log n) after many
    /// changes. Keep the array, and do not access the property in a loop.
    public var results: [MetadataItem] { core.withResults { $0.arranged() } }

    /// The distinct values of each of the ``valueListAttributes`` with their number of matches, most frequent first.
    ///
    /// `MetadataValue.none` counts matches without a value. Values are counted as changes arrive, so an access costs
    /// O(values log values).
    public var valueLists: [Attribute: [AttributeValueCount]] { core.withResults { $0.valueLists } }

    /// The results by their values of the ``groupingAttributes``, in the order of the values. A result with several
    /// values, such as tags, is in several groups. Costs O(n log n).
    public var groupedResults: [ResultGroup] { core.withResults { $0.groups() } }

    /// The number of ``results``.
    public var resultCount: Int { core.read { $0.visibleResults.shownCount } }

    /// The number of items that match, with those beyond the ``limit``. A query that was resumed from a clock counts the items that it was
    /// told since.
    public var matchCount: Int { core.read { $0.visibleResults.count } }

    /// Returns the item with this identity; nil if it does not match.
    public func result(withID id: MetadataItem.ID) -> MetadataItem? { core.read { $0.visibleResults[id] } }

    /// The clock of ``results``, from which a later query can continue; nil while the first results are arriving.
    /// Opaque.
    public var clock: DaemonClock? { core.read { $0.visibleClock } }

    /// The containers for which the results may be wrong, because they are degraded or unavailable.
    public var inexactContainers: [ContainerIdentifier] { core.read { $0.inexact } }

    /// Freezes ``results`` and holds notifications back, while the query continues. Calls nest.
    public func disableUpdates() { core.freeze() }

    /// Ends the effect of the last ``disableUpdates()``. With the outermost call, changes since then are delivered as
    /// one update. A surplus call does nothing.
    public func enableUpdates() { core.thaw() }

    /// Calls `body` with frozen results.
    public func withUpdatesDisabled<Result, Failure: Error>(
        _ body: ([MetadataItem]) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        disableUpdates()
        defer { enableUpdates() }
        return try body(results)
    }

    // MARK: Notifications

    /// The notifications of the query, from its start. Each iterator is a separate reader, and receives earlier
    /// notifications in condensed form. The sequence ends when the query is stopped, and throws ``GatherError`` if the
    /// daemon refuses the query, or ends it at a limit before the first results are complete.
    public var notifications: Notifications { Notifications(query: self) }

    /// The notifications of one query.
    public struct Notifications: AsyncSequence, Sendable {
        /// The element of the sequence.
        public typealias Element = QueryNotification
        /// The error type of the sequence.
        public typealias Failure = GatherError

        fileprivate let query: MetadataQuery

        /// Makes an iterator that starts with the first notification.
        public func makeAsyncIterator() -> Iterator { Iterator(reader: Reader(query: query)) }

        /// An iterator over the notifications.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let reader: Reader

            /// Returns the next notification; nil when the query is stopped or the task cancelled.
            public mutating func next() async throws(GatherError) -> QueryNotification? {
                try await next(isolation: nil)
            }

            /// Returns the next notification; nil when the query is stopped or the task cancelled.
            public mutating func next(
                isolation actor: isolated (any Actor)?
            ) async throws(GatherError) -> QueryNotification? {
                try await reader.query.core.next(for: reader.number, isolation: actor)
            }
        }
    }

    /// Keeps the query alive, and the place in the reader's queue.
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
