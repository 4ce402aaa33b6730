// Questions to the daemon that have one answer, as asynchronous functions.
// SPDX-License-Identifier: Apache-2.0

internal import GatherProtocol

/// Asks the daemon what has one answer. For an answer that stays live, see ``MetadataQuery``.
///
/// A client is a value and holds no connection: each call makes its own, so that none waits for another, and a daemon that
/// restarted between two calls is not noticed. Cancelling the task that waits ends the call.
public struct GatherClient: Sendable, Hashable {
    /// The daemon.
    public let socket: DaemonSocket

    /// A client of the daemon that listens on `socket`.
    public init(socket: DaemonSocket = .find()) { self.socket = socket }

    // MARK: Queries

    /// The items that match now.
    ///
    /// - Parameters:
    ///   - predicate: What has to be true of an item; an empty text matches everything.
    ///   - scopes: Where to look; nowhere in particular means every container that this user may read.
    ///   - attributes: What is told of each item.
    ///   - sort: The order, the primary key first.
    ///   - limit: The most items that are wanted.
    ///   - synchronized: Whether the answer reflects every change that was made before the call. Without, it tells what is
    ///     known at once.
    ///   - timeout: How long to wait for containers that are not read yet; nil for ten seconds.
    public func find(
        _ predicate: String, scopes: [SearchScope] = [],
        attributes: [Attribute] = MetadataQuery.defaultAttributes, sort: [SortKey] = [], limit: Int? = nil,
        synchronized: Bool = true, timeout: Duration? = nil
    ) async throws(GatherError) -> FindResult {
        let search = Search(
            predicate: predicate, scopes: scopes, attributes: attributes, sort: sort, limit: limit,
            isSynchronized: synchronized, timeout: timeout)
        var result = FindResult(items: [], inexactContainers: [], clock: "")
        let session = try await Session.connect(socket)
        // In batches, since an answer in one reply has a limit.
        var replies = session.callMore(QueryInterface.Find.self, search.findRequest).makeAsyncIterator()
        while let reply = try await replies.next() {
            result.items += reply.items.map { MetadataItem($0) }
            result.inexactContainers = reply.inexact ?? []
            result.clock = reply.clock
        }
        return result
    }

    /// The number of items that match now. The parameters are those of
    /// ``find(_:scopes:attributes:sort:limit:synchronized:timeout:)``.
    public func count(
        _ predicate: String, scopes: [SearchScope] = [], synchronized: Bool = true, timeout: Duration? = nil
    ) async throws(GatherError) -> CountResult {
        let search = Search(predicate: predicate, scopes: scopes, isSynchronized: synchronized, timeout: timeout)
        return CountResult(try await call(QueryInterface.Count.self, search.countRequest))
    }

    /// The distinct values of an attribute over the items that match now, with how many items have each: most frequent
    /// first, of equally frequent ones in their natural order.
    ///
    /// Of a list, such as tags, each value counts by itself; items without the attribute count under
    /// `MetadataValue.none`. A million different names are more than the daemon counts
    /// (``GatherError/Code/limitExceeded``), whatever the limit.
    ///
    /// ```swift
    /// let types = try await client.values(of: .contentType, "size > 1000000", limit: 10)
    /// for entry in types.values { print(entry.count, entry.value) }
    /// ```
    ///
    /// - Parameters:
    ///   - attribute: The attribute.
    ///   - predicate: What has to be true of an item; an empty text matches everything.
    ///   - scopes: Where to look; nowhere in particular means every container that this user may read.
    ///   - limit: The most values that are wanted.
    ///   - synchronized: Whether the answer reflects every change that was made before the call.
    ///   - timeout: How long to wait for containers that are not read yet; nil for ten seconds.
    public func values(
        of attribute: Attribute, _ predicate: String = "", scopes: [SearchScope] = [], limit: Int? = nil,
        synchronized: Bool = true, timeout: Duration? = nil
    ) async throws(GatherError) -> ValuesResult {
        let search = Search(
            predicate: predicate, scopes: scopes, limit: limit, isSynchronized: synchronized, timeout: timeout)
        return ValuesResult(
            try await call(QueryInterface.Values.self, search.valuesRequest(attribute)), of: attribute)
    }

    /// Returns when every change that was made before the call has been sent to the live queries of this user, and
    /// returns the clock of that.
    @discardableResult
    public func flush() async throws(GatherError) -> String {
        try await call(QueryInterface.Flush.self, QueryInterface.Flush.Request()).clock
    }

    /// How the daemon understands a predicate.
    public func explain(_ predicate: String) async throws(GatherError) -> QueryExplanation {
        QueryExplanation(
            try await call(QueryInterface.Explain.self, QueryInterface.Explain.Request(predicate: predicate)))
    }

    /// How the daemon understands a predicate and, with `analyze`, how it answers it: it is carried out once over what
    /// ``find(_:scopes:attributes:sort:limit:synchronized:timeout:)`` would look at, and ``QueryExplanation/steps`` tells what
    /// each step left and how long it took.
    public func explain(
        _ predicate: String, scopes: [SearchScope] = [], analyze: Bool
    ) async throws(GatherError) -> QueryExplanation {
        guard analyze else { return try await explain(predicate) }
        let search = Search(predicate: predicate, scopes: scopes)
        return QueryExplanation(try await call(QueryInterface.Explain.self, search.analysisRequest))
    }

    /// The attributes that predicates may name.
    public func attributes() async throws(GatherError) -> [AttributeSummary] {
        try await call(QueryInterface.Attributes.self, QueryInterface.Attributes.Request()).attributes
            .map { AttributeSummary($0) }
    }

    // MARK: Containers

    /// The containers that this user may read.
    public func containers() async throws(GatherError) -> [ContainerStatus] {
        try await call(ContainerInterface.List.self, ContainerInterface.List.Request()).containers
            .map { ContainerStatus($0) }
    }

    /// One container.
    public func container(_ identifier: String) async throws(GatherError) -> ContainerStatus {
        let request = ContainerInterface.Get.Request(identifier: identifier)
        return ContainerStatus(try await call(ContainerInterface.Get.self, request).container)
    }

    /// Watches another directory from now on. Only for root and the user that the daemon runs as.
    public func addContainer(
        _ identifier: String, path: String, packages: [String] = [], ignore: [String] = []
    ) async throws(GatherError) -> ContainerStatus {
        let request = ContainerInterface.Add.Request(
            identifier: identifier, path: path, packages: packages, ignore: ignore)
        return ContainerStatus(try await call(ContainerInterface.Add.self, request).container)
    }

    /// Takes back what ``addContainer(_:path:packages:ignore:)`` added. The directory stays.
    public func removeContainer(_ identifier: String) async throws(GatherError) {
        _ = try await call(ContainerInterface.Remove.self, ContainerInterface.Remove.Request(identifier: identifier))
    }

    /// Compares the whole tree with the index again.
    public func rescanContainer(_ identifier: String) async throws(GatherError) -> RescanResult {
        RescanResult(
            try await call(
                ContainerInterface.Rescan.self, ContainerInterface.Rescan.Request(identifier: identifier)))
    }

    // MARK: The daemon

    /// The daemon in numbers.
    public func status() async throws(GatherError) -> DaemonStatus {
        DaemonStatus(try await call(ServiceInterface.Status.self, ServiceInterface.Status.Request()))
    }

    /// Makes the daemon read its configuration again. Only for root and the user that the daemon runs as.
    public func reload() async throws(GatherError) {
        _ = try await call(ServiceInterface.Reload.self, ServiceInterface.Reload.Request())
    }

    private func call<Method: VarlinkMethod>(
        _ method: Method.Type, _ request: Method.Request
    ) async throws(GatherError) -> Method.Reply {
        try await Session.connect(socket).call(method, request)
    }
}
