// Answers io.gatherd.Service.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import GatherProtocol
import Glibc
import Metadata
import MetadataIndex
import Varlink

/// Answers calls to `io.gatherd.Service`. On the event loop.
struct ServiceHandler {
    let engine: Engine
    let started: Timestamp
    let connections: () -> Int
    let reload: () throws(ConfigurationError) -> Void

    func handle(_ call: VarlinkCall) throws {
        switch call.method {
        case ServiceInterface.Status.name:
            guard let caller = engine.restriction(of: call.peer) else {
                return reply(call, items: engine.itemCount, containers: engine.containers.count)
            }
            let containers = engine.containers.filter { engine.isListed($0, for: caller) }.count
            engine.takeCensus(of: engine.containers, for: caller) { counts in
                reply(call, items: counts.reduce(0) { $0 + $1.items }, containers: containers)
            }
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
    private func reply(_ call: VarlinkCall, items: Int, containers: Int) {
        let counters = engine.watcher.counters
        call.reply(
            ServiceInterface.Status.Reply(
                version: Version.current, pid: Int64(getpid()), started: started.rfc3339,
                items: Int64(items), containers: Int64(containers),
                liveQueries: Int64(engine.subscriptions.count), connections: Int64(connections()),
                residentBytes: Int64(ProcessMemory.residentBytes), eventsRead: Int64(counters.eventsRead),
                overflows: Int64(counters.overflows), snapshotTime: engine.snapshotTime?.rfc3339))
    }
}

extension Engine {
    /// Items in all containers.
    var itemCount: Int { containers.reduce(0) { $0 + $1.index.count } }
}
