// Answers io.gatherd.Service.Metrics.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import LinuxSystem
import MetadataIndex
import Varlink

extension ServiceHandler {
    /// Replies with metrics. They reveal no more than ``ServiceInterface/Status`` and the list of containers: nothing
    /// of the work of other callers, nor of files that the caller may not see.
    func metrics(_ call: VarlinkCall) throws {
        let request = try call.request(of: ServiceInterface.Metrics.self)
        if let count = request.liveQueries, count < 0 { throw VarlinkError.invalidParameter("liveQueries") }
        let liveQueries = min(Int(clamping: request.liveQueries ?? 0), self.engine.limits.liveQueriesMeasured)
        let (engine, started, connections) = (engine, started, connections)
        var list = MetricList()
        EngineMetrics(engine).addProcess(to: &list, started: started)
        guard let caller = engine.access.restriction(of: call.peer) else {
            EngineMetrics(engine).addActivity(to: &list, connections: connections(nil))
            EngineMetrics(engine).addContainers(
                Array(engine.containers), items: engine.containers.map(\.index.count), isWhole: true, to: &list)
            addLiveQueries(liveQueries, of: nil, to: &list)
            return call.reply(ServiceInterface.Metrics.Reply(metrics: list.metrics))
        }
        let user = call.peer.userID
        let listed = engine.listed(for: caller)
        engine.census.take(of: listed, for: caller, while: { !call.hasEnded }) { counts in
            list.gauge(.init("connections", "Connections that are open"), connections(user))
            list.gauge(
                .init("live_queries", "Live queries that are open"), engine.subscriptions.count(of: user))
            list.gauge(.init("items", "Entries known in all containers"), counts.reduce(0) { $0 + $1.items })
            list.gauge(.init("containers", "Containers"), listed.count)
            EngineMetrics(engine).addContainers(listed, items: counts.map(\.items), isWhole: false, to: &list)
            addLiveQueries(liveQueries, of: user, to: &list)
            call.reply(ServiceInterface.Metrics.Reply(metrics: list.metrics))
        }
    }

    /// Adds the live queries that were busiest recently, of one user or of all.
    private func addLiveQueries(_ limit: Int, of user: UInt32?, to list: inout MetricList) {
        let metrics = LiveQueryMetrics(
            busiest: limit, of: engine.subscriptions.all, user: user, now: MonotonicClock.now())
        metrics.add(to: &list)
    }
}
