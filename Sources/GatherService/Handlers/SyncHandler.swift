// Answers io.gatherd.Sync.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Varlink

/// Answers calls to `io.gatherd.Sync`. On the event loop.
struct SyncHandler {
    let engine: Engine

    func handle(_ call: VarlinkCall) throws {
        guard engine.access.mayReportStates(call.peer) else { throw VarlinkError.permissionDenied }
        switch call.method {
        case SyncInterface.Attach.name: try attach(call)
        case SyncInterface.Report.name: try report(call)
        case SyncInterface.States.name: try states(call)
        default: call.fail(.methodNotImplemented(call.method))
        }
    }

    private func attach(_ call: VarlinkCall) throws {
        let identifier = try call.request(of: SyncInterface.Attach.self).container
        guard let record = engine.containers.named(identifier) else {
            throw SyncError.noSuchContainer(identifier: identifier)
        }
        guard record.configuration.sync != nil else { throw SyncError.notShared(identifier: identifier) }
        let engine = engine
        let waiter = engine.whenExact([record], timeout: nil) { _ in
            if call.hasEnded { return }
            // It may have been removed, or replaced by another one, meanwhile.
            guard engine.containers.named(identifier) === record else {
                return call.fail(SyncError.superseded(identifier: identifier))
            }
            engine.iterations.atEnd { if !call.hasEnded { engine.sync.begin(of: record, call) } }
            engine.runIteration()
        }
        if !waiter.isDone { call.onClose = { engine.barriers.cancel(waiter) } }
    }

    private func report(_ call: VarlinkCall) throws {
        let request = try call.request(of: SyncInterface.Report.self)
        let (record, session) = try session(request.session)
        call.reply(
            SyncInterface.Report.Reply(changed: Int64(engine.sync.take(request, of: record, session))))
    }

    private func states(_ call: VarlinkCall) throws {
        let request = try call.request(of: SyncInterface.States.self)
        call.reply(
            engine.sync.reportedStates(of: try session(request.session).container, from: request.from))
    }

    private func session(_ number: Int64) throws -> (container: ContainerRecord, session: SyncSession) {
        guard let found = engine.containers.synced(in: number) else { throw SyncError.noSuchSession(session: number) }
        return found
    }
}
