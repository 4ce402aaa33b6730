// Questions to the daemon from a short process, without threads or an event loop.
// SPDX-License-Identifier: Apache-2.0

internal import GatherProtocol
internal import Varlink

/// A ``GatherClient`` on one blocking socket. It starts no thread or event loop, so that a short process has its answer
/// as early as possible. Each call blocks its thread. After an error the client must not be used. A question whose
/// connection ends before any answer is asked once more, since a daemon that restarts drops questions it has not read.
package struct BlockingClient: ~Copyable {
    private var client: BlockingVarlinkClient
    private let socket: DaemonSocket
    /// The process that reaches another machine.
    private var process: RemoteProcess?

    /// Connects to the daemon.
    package init(_ socket: DaemonSocket) throws(GatherError) {
        self.socket = socket
        let connection = try socket.connect()
        client = BlockingVarlinkClient(
            descriptor: connection.descriptor, output: connection.output, life: socket.life)
        process = connection.process
    }

    // MARK: Queries

    /// The parts of an answer without its items.
    package struct Summary: Sendable {
        /// The number of items.
        package var count = 0
        /// The containers for which the answer may be wrong.
        package var inexactContainers: [ContainerIdentifier] = []
        /// The clock of the answer.
        package var clock = DaemonClock(rawValue: "")

        /// Makes an empty summary.
        package init() {}
    }

    /// Passes the path of each match to `body`, as bytes that are valid inside `body` only. No object is made for an
    /// item, so this is the fastest way. `finishBatch` is called after each reply, so that output can be written while
    /// the next one arrives.
    package mutating func findPaths(
        _ search: Search, _ body: (UnsafeRawBufferPointer) -> Void, finishBatch: () throws -> Void
    ) throws -> Summary {
        var search = search
        search.attributes = [.path]
        var summary = Summary()
        let socket = socket
        try callMore(QueryInterface.Find.name, JSONBytes(search.findRequest)) { reply in
            let part = try socket.reading { () throws(JSONError) in try FindReplySummary(walking: reply, body) }
            summary.count += part.count
            summary.inexactContainers = [ContainerIdentifier](inexact: part.inexact)
            summary.clock = DaemonClock(rawValue: part.clock)
            try finishBatch()
            return true
        }
        return summary
    }

    /// Passes the matches to `body` as they arrive.
    package mutating func find(_ search: Search, _ body: ([MetadataItem]) throws -> Void) throws -> Summary {
        var summary = Summary()
        let socket = socket
        try callMore(QueryInterface.Find.name, JSONBytes(search.findRequest)) { reply in
            let part = try socket.reading { () throws(JSONError) in
                let part: QueryInterface.Find.Reply = try reply.decode()
                try search.check(part)
                return part
            }
            summary.count += part.items.count
            summary.inexactContainers = [ContainerIdentifier](inexact: part.inexact)
            summary.clock = DaemonClock(rawValue: part.clock)
            try body(part.items.map { MetadataItem($0) })
            return true
        }
        return summary
    }

    /// Returns the number of items that match now.
    package mutating func count(_ search: Search) throws(GatherError) -> CountResult {
        CountResult(try call(QueryInterface.Count.self, search.countRequest))
    }

    /// Returns the distinct values of an attribute over the items that match now.
    package mutating func values(of attribute: Attribute, _ search: Search) throws(GatherError) -> ValuesResult {
        ValuesResult(try call(QueryInterface.Values.self, search.valuesRequest(attribute)), of: attribute)
    }

    /// Waits until every earlier change was sent to the live queries of this user.
    package mutating func flush() throws(GatherError) -> DaemonClock {
        DaemonClock(rawValue: try call(QueryInterface.Flush.self, QueryInterface.Flush.Request()).clock)
    }

    /// Returns how the daemon understands a predicate.
    package mutating func explain(_ predicate: String) throws(GatherError) -> QueryExplanation {
        QueryExplanation(try call(QueryInterface.Explain.self, Search.explanationRequest(predicate)))
    }

    /// Returns how the daemon understands a predicate, and the number of items left after each step of the plan.
    package mutating func analyze(_ search: Search) throws(GatherError) -> QueryExplanation {
        QueryExplanation(try call(QueryInterface.Explain.self, search.analysisRequest))
    }

    /// Returns the attributes that predicates may name.
    package mutating func attributes() throws(GatherError) -> [AttributeSummary] {
        try call(QueryInterface.Attributes.self, QueryInterface.Attributes.Request()).attributes
            .map { AttributeSummary($0) }
    }

    // MARK: Containers

    /// Returns the containers that this user may read.
    package mutating func containers() throws(GatherError) -> [ContainerStatus] {
        try call(ContainerInterface.List.self, ContainerInterface.List.Request()).containers
            .map { ContainerStatus($0) }
    }

    /// Watches another directory from now on.
    package mutating func addContainer(
        _ identifier: ContainerIdentifier, path: String, packages: [String], ignore: [String], sync: String? = nil
    ) throws(GatherError) -> ContainerStatus {
        let request = ContainerInterface.Add.Request(
            identifier: identifier.rawValue, path: path, packages: packages, ignore: ignore, sync: sync)
        return ContainerStatus(try call(ContainerInterface.Add.self, request, isQuestion: false).container)
    }

    /// Makes a container that was added at run time a shared one, or a plain one with nil.
    package mutating func setSharing(
        of identifier: ContainerIdentifier, to sync: String?
    ) throws(GatherError) -> ContainerStatus {
        let request = ContainerInterface.Share.Request(identifier: identifier.rawValue, sync: sync)
        return ContainerStatus(try call(ContainerInterface.Share.self, request, isQuestion: false).container)
    }

    /// Removes a container that was added at run time.
    package mutating func removeContainer(_ identifier: ContainerIdentifier) throws(GatherError) {
        let request = ContainerInterface.Remove.Request(identifier: identifier.rawValue)
        _ = try call(ContainerInterface.Remove.self, request, isQuestion: false)
    }

    /// Compares the whole tree with the index again.
    package mutating func rescanContainer(_ identifier: ContainerIdentifier) throws(GatherError) -> RescanResult {
        let request = ContainerInterface.Rescan.Request(identifier: identifier.rawValue)
        return RescanResult(try call(ContainerInterface.Rescan.self, request, isQuestion: false))
    }

    /// Takes the directory at a container's path for the container.
    package mutating func acceptContainer(_ identifier: ContainerIdentifier) throws(GatherError) -> ContainerStatus {
        let request = ContainerInterface.Accept.Request(identifier: identifier.rawValue)
        return ContainerStatus(try call(ContainerInterface.Accept.self, request, isQuestion: false).container)
    }

    /// Passes the containers to `body` now and after each change of a state, until it returns false.
    package mutating func monitorContainers(_ body: ([ContainerStatus]) throws -> Bool) throws {
        let request = JSONBytes(ContainerInterface.Monitor.Request())
        let socket = socket
        try callMore(ContainerInterface.Monitor.name, request) { bytes in
            let reply: ContainerInterface.Monitor.Reply = try socket.reading { () throws(JSONError) in
                try bytes.decode()
            }
            return try body(reply.containers.map { ContainerStatus($0) })
        }
    }

    // MARK: The daemon

    /// Returns the status of the daemon.
    package mutating func status() throws(GatherError) -> DaemonStatus {
        DaemonStatus(try call(ServiceInterface.Status.self, ServiceInterface.Status.Request()))
    }

    /// Returns the daemon's metrics, with details of the `liveQueries` busiest live queries.
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
            throw socket.error(error, process)
        }
        return try socket.reading { () throws(JSONError) in try reply.decode() }
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
            throw socket.error(error, process)
        }
    }

    /// Connects once more if the connection has ended. Returns false for another error, and if no daemon listens. The connection
    /// to another machine mostly ends for a reason of its own, which the user should be told.
    private mutating func connectsAgain(after error: VarlinkClientError) -> Bool {
        guard error.isEndOfConnection, process == nil, let connection = try? socket.connect() else { return false }
        client = BlockingVarlinkClient(descriptor: connection.descriptor, life: socket.life)
        return true
    }
}
