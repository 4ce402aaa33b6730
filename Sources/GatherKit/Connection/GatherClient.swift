// Asynchronous questions with one answer.
// SPDX-License-Identifier: Apache-2.0

internal import GatherProtocol

/// Asks the daemon questions with one answer each. For a live answer, use ``MetadataQuery``.
///
/// A client is a value without a connection. Each call connects by itself. So no call waits for another, and the daemon
/// may restart between two calls. Cancelling the waiting task ends the call.
public struct GatherClient: Sendable, Hashable {
    /// The daemon.
    public let daemon: Daemon

    /// Makes a client of a daemon.
    public init(daemon: Daemon = .automatic) { self.daemon = daemon }

    /// Makes a client of the daemon at a socket.
    package init(socket: DaemonSocket) { self.init(daemon: Daemon(socket)) }

    var socket: DaemonSocket { daemon.socket }

    // MARK: Queries

    /// Returns the items that match now.
    ///
    /// The daemon applies the limit, and sends no other items. ``MetadataQuery/limit`` limits in this process, which gets all
    /// matches.
    ///
    /// - Parameters:
    ///   - predicate: The condition on items; an empty text matches everything.
    ///   - scopes: The places to search; empty means every container that this user may read.
    ///   - attributes: The attributes to return of each item.
    ///   - sort: The order, the primary key first.
    ///   - limit: The most items to return.
    ///   - freshness: How fresh the answer must be.
    ///   - timeout: The longest wait for containers that are still being read; nil for ten seconds.
    public func find(
        _ predicate: String, scopes: [SearchScope] = [],
        attributes: [Attribute] = MetadataQuery.defaultAttributes, sort: [SortKey] = [], limit: Int? = nil,
        freshness: Freshness = .afterFlush, timeout: Duration? = nil
    ) async throws(GatherError) -> FindResult {
        let search = Search(
            predicate: predicate, scopes: scopes, attributes: attributes, sort: sort, limit: limit,
            freshness: freshness, timeout: timeout)
        var result = FindResult(items: [], inexactContainers: [], clock: DaemonClock(rawValue: ""))
        // In batches, since a single reply has a limit.
        var batches = try await batches(search).makeAsyncIterator()
        while let batch = try await batches.next() {
            result.items += batch.items
            result.inexactContainers = batch.inexactContainers
            result.clock = batch.clock
        }
        return result
    }

    /// Returns the number of items that match now. The parameters are those of
    /// ``find(_:scopes:attributes:sort:limit:freshness:timeout:)``.
    public func count(
        _ predicate: String, scopes: [SearchScope] = [], freshness: Freshness = .afterFlush, timeout: Duration? = nil
    ) async throws(GatherError) -> CountResult {
        let search = Search(predicate: predicate, scopes: scopes, freshness: freshness, timeout: timeout)
        return CountResult(try await call(QueryInterface.Count.self, search.countRequest))
    }

    /// Returns the distinct values of an attribute over the items that match now, with the number of items for each.
    /// The most frequent value comes first; equally frequent values are in natural order.
    ///
    /// Each value of a list, such as tags, counts by itself. Items without the attribute count under
    /// `MetadataValue.none`. The daemon counts at most 262,144 different values (``GatherError/Code/limitExceeded``),
    /// whatever the limit.
    ///
    /// ```swift
    /// let types = try await client.values(of: .contentType, "size > 1000000", limit: 10)
    /// for entry in types.values { print(entry.count, entry.value) }
    /// ```
    ///
    /// - Parameters:
    ///   - attribute: The attribute.
    ///   - predicate: The condition on items; an empty text matches everything.
    ///   - scopes: The places to search; empty means every container that this user may read.
    ///   - limit: The most values to return.
    ///   - freshness: How fresh the answer must be.
    ///   - timeout: The longest wait for containers that are still being read; nil for ten seconds.
    public func values(
        of attribute: Attribute, _ predicate: String = "", scopes: [SearchScope] = [], limit: Int? = nil,
        freshness: Freshness = .afterFlush, timeout: Duration? = nil
    ) async throws(GatherError) -> ValuesResult {
        let search = Search(
            predicate: predicate, scopes: scopes, limit: limit, freshness: freshness, timeout: timeout)
        return ValuesResult(
            try await call(QueryInterface.Values.self, search.valuesRequest(attribute)), of: attribute)
    }

    /// Waits until every change made before the call has been sent to this user's live queries. Returns the clock of
    /// that moment.
    @discardableResult
    public func flush() async throws(GatherError) -> DaemonClock {
        DaemonClock(rawValue: try await call(QueryInterface.Flush.self, QueryInterface.Flush.Request()).clock)
    }

    /// Returns how the daemon understands a predicate.
    public func explain(_ predicate: String) async throws(GatherError) -> QueryExplanation {
        QueryExplanation(
            try await call(QueryInterface.Explain.self, Search.explanationRequest(predicate)))
    }

    /// Returns how the daemon understands a predicate and, with `analyze`, how it answers it.
    ///
    /// With `analyze`, the predicate is evaluated once over the items of
    /// ``find(_:scopes:attributes:sort:limit:freshness:timeout:)``. ``QueryExplanation/steps`` has the number of
    /// items left after each step, and its duration.
    public func explain(
        _ predicate: String, scopes: [SearchScope] = [], analyze: Bool
    ) async throws(GatherError) -> QueryExplanation {
        guard analyze else { return try await explain(predicate) }
        let search = Search(predicate: predicate, scopes: scopes)
        return QueryExplanation(try await call(QueryInterface.Explain.self, search.analysisRequest))
    }

    /// Returns the attributes that predicates may name.
    public func attributes() async throws(GatherError) -> [AttributeSummary] {
        try await call(QueryInterface.Attributes.self, QueryInterface.Attributes.Request()).attributes
            .map { AttributeSummary($0) }
    }

    // MARK: Containers

    /// Returns the containers that this user may read.
    public func containers() async throws(GatherError) -> [ContainerStatus] {
        try await call(ContainerInterface.List.self, ContainerInterface.List.Request()).containers
            .map { ContainerStatus($0) }
    }

    /// Returns a container.
    public func container(_ identifier: ContainerIdentifier) async throws(GatherError) -> ContainerStatus {
        let request = ContainerInterface.Get.Request(identifier: identifier.rawValue)
        return ContainerStatus(try await call(ContainerInterface.Get.self, request).container)
    }

    /// Watches another directory from now on. Only root and the daemon's own user may call this.
    ///
    /// - Parameters:
    ///   - identifier: A plain word, or a reversed domain such as `org.example.notes`.
    ///   - path: The absolute path of the directory.
    ///   - packages: The extensions of directories that are one item.
    ///   - ignore: Patterns of names that are not read.
    ///   - sync: `syncthing` for a container that is shared with other devices.
    public func addContainer(
        _ identifier: ContainerIdentifier, path: String, packages: [String] = [], ignore: [String] = [],
        sync: String? = nil
    ) async throws(GatherError) -> ContainerStatus {
        let request = ContainerInterface.Add.Request(
            identifier: identifier.rawValue, path: path, packages: packages, ignore: ignore, sync: sync)
        return ContainerStatus(try await call(ContainerInterface.Add.self, request).container)
    }

    /// Makes a container that was added with ``addContainer(_:path:packages:ignore:sync:)`` a shared one, or a plain one
    /// with nil. The container is read anew. ``SharingClient/share(_:with:)`` then shares it with devices.
    ///
    /// - Throws: ``GatherError/Code/invalidContainer`` for a container that a file configures. The message names the
    ///   file.
    public func setSharing(
        of identifier: ContainerIdentifier, to sync: String? = "syncthing"
    ) async throws(GatherError) -> ContainerStatus {
        let request = ContainerInterface.Share.Request(identifier: identifier.rawValue, sync: sync)
        return ContainerStatus(try await call(ContainerInterface.Share.self, request).container)
    }

    /// Removes a container that was added with ``addContainer(_:path:packages:ignore:sync:)``. The directory stays.
    public func removeContainer(_ identifier: ContainerIdentifier) async throws(GatherError) {
        _ = try await call(
            ContainerInterface.Remove.self, ContainerInterface.Remove.Request(identifier: identifier.rawValue))
    }

    /// Compares the whole tree with the index again.
    public func rescanContainer(_ identifier: ContainerIdentifier) async throws(GatherError) -> RescanResult {
        RescanResult(
            try await call(
                ContainerInterface.Rescan.self, ContainerInterface.Rescan.Request(identifier: identifier.rawValue)))
    }

    /// Takes the directory at a container's path for the container, although it is another one than before: another disk, an empty
    /// directory or a copy. If the container is available, nothing changes. Only root and the daemon's own user may call this.
    ///
    /// - Throws: ``GatherError/Code/containerUnavailable`` if there is no directory.
    public func acceptContainer(_ identifier: ContainerIdentifier) async throws(GatherError) -> ContainerStatus {
        let request = ContainerInterface.Accept.Request(identifier: identifier.rawValue)
        return ContainerStatus(try await call(ContainerInterface.Accept.self, request).container)
    }

    // MARK: The daemon

    /// Returns the status of the daemon.
    public func status() async throws(GatherError) -> DaemonStatus {
        DaemonStatus(try await call(ServiceInterface.Status.self, ServiceInterface.Status.Request()))
    }

    /// Makes the daemon read its configuration again. Only root and the daemon's own user may call this.
    public func reload() async throws(GatherError) {
        _ = try await call(ServiceInterface.Reload.self, ServiceInterface.Reload.Request())
    }

    private func call<Method: VarlinkMethod>(
        _ method: Method.Type, _ request: Method.Request
    ) async throws(GatherError) -> Method.Reply {
        try await Session.connect(socket).call(method, request)
    }
}
