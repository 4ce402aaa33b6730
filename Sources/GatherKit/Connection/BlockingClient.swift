// Questions to the daemon for a command that asks one thing and ends: no thread, no event loop.
// SPDX-License-Identifier: Apache-2.0

internal import GatherProtocol
internal import Varlink

/// As ``GatherClient``, on one plain blocking socket: nothing is started, so that a process has its answer as early as can
/// be. Each call blocks its thread. After an error the client is of no more use. A question whose connection ends before
/// anything was answered is asked once more: a daemon that is restarted answers what it has not read yet, and no more.
package struct BlockingClient: ~Copyable {
    private var client: BlockingVarlinkClient
    private let socket: DaemonSocket

    /// Connects to the daemon.
    package init(_ socket: DaemonSocket) throws(GatherError) {
        self.socket = socket
        do throws(VarlinkClientError) { client = try Self.connect(socket) } catch {
            throw GatherError(error, socket: socket)
        }
    }

    private static func connect(_ socket: DaemonSocket) throws(VarlinkClientError) -> BlockingVarlinkClient {
        guard let daemon = socket.inProcess else { return try BlockingVarlinkClient(path: socket.path) }
        return BlockingVarlinkClient(descriptor: try daemon.descriptor())
    }

    // MARK: Queries

    /// What an answer says beside its items.
    package struct Summary: Sendable {
        /// How many items there were.
        package var count = 0
        /// The containers for which the answer may be wrong.
        package var inexactContainers: [String] = []
        /// The clock of the answer.
        package var clock = ""

        /// A summary of nothing.
        package init() {}
    }

    /// Gives `body` the path of each match, in its own bytes, which are valid inside `body` only. Nothing is made for an
    /// item: this is the way for many. `finishBatch` is called after each reply, so that output can be written while the
    /// next is on its way.
    package mutating func findPaths(
        _ search: Search, _ body: (UnsafeRawBufferPointer) -> Void, finishBatch: () throws -> Void
    ) throws -> Summary {
        var search = search
        search.attributes = [.path]
        var summary = Summary()
        try callMore(QueryInterface.Find.name, JSONBytes(search.findRequest)) { reply in
            let part = try Self.reading { () throws(JSONError) in try FindReplySummary(walking: reply, body) }
            summary.count += part.count
            summary.inexactContainers = part.inexact ?? []
            summary.clock = part.clock
            try finishBatch()
            return true
        }
        return summary
    }

    /// Gives `body` the matches as they come.
    package mutating func find(_ search: Search, _ body: ([MetadataItem]) throws -> Void) throws -> Summary {
        var summary = Summary()
        try callMore(QueryInterface.Find.name, JSONBytes(search.findRequest)) { reply in
            let part: QueryInterface.Find.Reply = try Self.reading { () throws(JSONError) in try reply.decode() }
            summary.count += part.items.count
            summary.inexactContainers = part.inexact ?? []
            summary.clock = part.clock
            try body(part.items.map { MetadataItem($0) })
            return true
        }
        return summary
    }

    /// The number of items that match now.
    package mutating func count(_ search: Search) throws(GatherError) -> CountResult {
        CountResult(try call(QueryInterface.Count.self, search.countRequest))
    }

    /// The distinct values of an attribute over the items that match now.
    package mutating func values(of attribute: Attribute, _ search: Search) throws(GatherError) -> ValuesResult {
        ValuesResult(try call(QueryInterface.Values.self, search.valuesRequest(attribute)), of: attribute)
    }

    /// Returns when every change that was made before has been sent to the live queries of this user.
    package mutating func flush() throws(GatherError) -> String {
        try call(QueryInterface.Flush.self, QueryInterface.Flush.Request()).clock
    }

    /// How the daemon understands a predicate.
    package mutating func explain(_ predicate: String) throws(GatherError) -> QueryExplanation {
        QueryExplanation(try call(QueryInterface.Explain.self, QueryInterface.Explain.Request(predicate: predicate)))
    }

    /// How the daemon understands a predicate, and what each step of answering it left.
    package mutating func analyze(_ search: Search) throws(GatherError) -> QueryExplanation {
        QueryExplanation(try call(QueryInterface.Explain.self, search.analysisRequest))
    }

    /// The attributes that predicates may name.
    package mutating func attributes() throws(GatherError) -> [AttributeSummary] {
        try call(QueryInterface.Attributes.self, QueryInterface.Attributes.Request()).attributes
            .map { AttributeSummary($0) }
    }

    // MARK: Containers

    /// The containers that this user may read.
    package mutating func containers() throws(GatherError) -> [ContainerStatus] {
        try call(ContainerInterface.List.self, ContainerInterface.List.Request()).containers
            .map { ContainerStatus($0) }
    }

    /// Watches another directory from now on.
    package mutating func addContainer(
        _ identifier: String, path: String, packages: [String], ignore: [String]
    ) throws(GatherError) -> ContainerStatus {
        let request = ContainerInterface.Add.Request(
            identifier: identifier, path: path, packages: packages, ignore: ignore)
        return ContainerStatus(try call(ContainerInterface.Add.self, request, isQuestion: false).container)
    }

    /// Takes back what was added at run time.
    package mutating func removeContainer(_ identifier: String) throws(GatherError) {
        let request = ContainerInterface.Remove.Request(identifier: identifier)
        _ = try call(ContainerInterface.Remove.self, request, isQuestion: false)
    }

    /// Compares the whole tree with the index again.
    package mutating func rescanContainer(_ identifier: String) throws(GatherError) -> RescanResult {
        let request = ContainerInterface.Rescan.Request(identifier: identifier)
        return RescanResult(try call(ContainerInterface.Rescan.self, request, isQuestion: false))
    }

    /// Gives `body` the containers now and at each change of a state, until it returns false.
    package mutating func monitorContainers(_ body: ([ContainerStatus]) throws -> Bool) throws {
        let request = JSONBytes(ContainerInterface.Monitor.Request())
        try callMore(ContainerInterface.Monitor.name, request) { bytes in
            let reply: ContainerInterface.Monitor.Reply = try Self.reading { () throws(JSONError) in
                try bytes.decode()
            }
            return try body(reply.containers.map { ContainerStatus($0) })
        }
    }

    // MARK: The daemon

    /// The daemon in numbers.
    package mutating func status() throws(GatherError) -> DaemonStatus {
        DaemonStatus(try call(ServiceInterface.Status.self, ServiceInterface.Status.Request()))
    }

    /// What the daemon measures, with so many of the busiest live queries one by one.
    package mutating func metrics(liveQueries: Int = 0) throws(GatherError) -> [DaemonMetric] {
        let request = ServiceInterface.Metrics.Request(liveQueries: liveQueries == 0 ? nil : Int64(liveQueries))
        return try call(ServiceInterface.Metrics.self, request).metrics.map { DaemonMetric($0) }
    }

    /// Makes the daemon read its configuration again.
    package mutating func reload() throws(GatherError) {
        _ = try call(ServiceInterface.Reload.self, ServiceInterface.Reload.Request(), isQuestion: false)
    }

    // MARK: Calls

    private mutating func call<Method: VarlinkMethod>(
        _ method: Method.Type, _ request: Method.Request, isQuestion: Bool = true
    ) throws(GatherError) -> Method.Reply {
        let parameters = JSONBytes(request)
        let reply: JSONBytes
        do throws(VarlinkClientError) {
            do throws(VarlinkClientError) {
                reply = try client.call(Method.name, parameters)
            } catch {
                guard isQuestion, connectsAgain(after: error) else { throw error }
                reply = try client.call(Method.name, parameters)
            }
        } catch {
            throw GatherError(error, socket: socket)
        }
        return try Self.reading { () throws(JSONError) in try reply.decode() }
    }

    private mutating func callMore(
        _ method: String, _ parameters: JSONBytes, _ body: (JSONBytes) throws -> Bool
    ) throws {
        var isAnswered = false
        do {
            do {
                try client.callMore(method, parameters) { reply in
                    isAnswered = true
                    return try body(reply)
                }
            } catch let error as VarlinkClientError {
                guard !isAnswered, connectsAgain(after: error) else { throw error }
                try client.callMore(method, parameters, body)
            }
        } catch let error as VarlinkClientError {
            throw GatherError(error, socket: socket)
        }
    }

    /// Connects once more where the connection has ended. False for another error, and where nobody listens any more.
    private mutating func connectsAgain(after error: VarlinkClientError) -> Bool {
        guard error.isEndOfConnection else { return false }
        do throws(VarlinkClientError) { client = try Self.connect(socket) } catch { return false }
        return true
    }

    private static func reading<Value>(_ body: () throws(JSONError) -> Value) throws(GatherError) -> Value {
        do throws(JSONError) { return try body() } catch { throw GatherError(error) }
    }
}
