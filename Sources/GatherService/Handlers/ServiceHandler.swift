// Answers io.gatherd.Service.
// SPDX-License-Identifier: Apache-2.0

import ContentTypes
import FileWatching
import GatherProtocol
import Glibc
import Metadata
import MetadataIndex
import Varlink

/// Answers calls to `io.gatherd.Service`. Event loop only.
struct ServiceHandler {
    let engine: Engine
    let started: Timestamp
    /// Returns the number of connections, of one user or of all.
    let connections: (UInt32?) -> Int
    let reload: () throws(ConfigurationError) -> Void

    func handle(_ call: VarlinkCall) throws {
        switch call.method {
        case ServiceInterface.Status.name:
            guard let caller = engine.access.restriction(of: call.peer) else {
                return reply(call, items: engine.itemCount, containers: engine.containers.count)
            }
            let containers = engine.listed(for: caller).count
            engine.census.take(of: Array(engine.containers), for: caller, while: { !call.hasEnded }) { counts in
                reply(call, items: counts.reduce(0) { $0 + $1.items }, containers: containers, to: call.peer.userID)
            }
        case ServiceInterface.Metrics.name: try metrics(call)
        case ServiceInterface.Reload.name:
            try AccessPolicy.requireOperator(call.peer)
            do {
                try reload()
            } catch {
                throw ServiceError.invalidConfiguration(
                    file: error.file, line: Int64(error.line), message: error.message)
            }
            call.reply()
        default: call.fail(.methodNotImplemented(call.method))
        }
    }
}

extension ServiceHandler {
    /// Replies with the status. A `user` who does not see everything gets its own numbers, since those of all would
    /// reveal the work of others. Values in the process table are no secret.
    private func reply(_ call: VarlinkCall, items: Int, containers: Int, to user: UInt32? = nil) {
        let counters = engine.watcher.counters
        let liveQueries = user.map { engine.subscriptions.count(of: $0) } ?? engine.subscriptions.count
        call.reply(
            ServiceInterface.Status.Reply(
                version: Version.current, pid: Int64(getpid()), started: started.rfc3339,
                items: Int64(items), containers: Int64(containers),
                liveQueries: Int64(liveQueries), connections: Int64(connections(user)),
                residentBytes: Int64(ProcessMemory.residentBytes),
                eventsRead: user == nil ? Int64(counters.eventsRead) : 0,
                overflows: user == nil ? Int64(counters.overflows) : 0,
                snapshotTime: user == nil ? engine.snapshotTime?.rfc3339 : nil,
                watches: user == nil ? Int64(engine.watcher.watchCount) : nil,
                watchLimit: user == nil ? engine.watcher.watchLimit.map { Int64($0) } : nil,
                watchShare: user == nil ? engine.watcher.settings.watchShare : nil,
                savingError: user == nil ? engine.commits.failure?.error : nil,
                unsavedSince: user == nil ? engine.commits.failure?.since.rfc3339 : nil,
                contentTypes: engine.system.types.isEmpty ? 0 : Int64(engine.system.types.types.count)))
    }
}

extension Engine {
    /// The number of items in all containers.
    var itemCount: Int { containers.reduce(0) { $0 + $1.index.count } }
}
