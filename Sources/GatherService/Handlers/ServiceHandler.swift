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
            let counters = engine.watcher.counters
            call.reply(
                ServiceInterface.Status.Reply(
                    version: Version.current, pid: Int64(getpid()), started: started.rfc3339,
                    items: Int64(engine.itemCount), containers: Int64(engine.containers.count),
                    liveQueries: Int64(engine.subscriptions.count), connections: Int64(connections()),
                    residentBytes: Int64(ProcessMemory.residentBytes), eventsRead: Int64(counters.eventsRead),
                    overflows: Int64(counters.overflows)))
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

extension Engine {
    /// Items in all containers.
    var itemCount: Int { containers.reduce(0) { $0 + $1.index.count } }
}
