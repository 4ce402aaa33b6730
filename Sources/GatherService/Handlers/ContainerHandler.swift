// Answers io.gatherd.Container.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import GatherProtocol
import Metadata
import MetadataIndex
import NIOCore
import Varlink

/// Answers calls to `io.gatherd.Container`. On the event loop.
struct ContainerHandler {
    let engine: Engine
    let runtime: RuntimeContainers

    func handle(_ call: VarlinkCall) throws {
        switch call.method {
        case ContainerInterface.List.name:
            describe(listed(for: call), for: call) { call.reply(ContainerInterface.List.Reply(containers: $0)) }
        case ContainerInterface.Get.name:
            let request = try call.request(of: ContainerInterface.Get.self)
            guard let record = listed(for: call).first(where: { $0.identifier == request.identifier }) else {
                throw ContainerError.noSuchContainer(identifier: request.identifier)
            }
            describe([record], for: call) { call.reply(ContainerInterface.Get.Reply(container: $0[0])) }
        case ContainerInterface.Add.name: try add(call)
        case ContainerInterface.Remove.name: try remove(call)
        case ContainerInterface.Rescan.name: try rescan(call)
        case ContainerInterface.Monitor.name: monitor(call)
        default: call.fail(.methodNotImplemented(call.method))
        }
    }

    /// The containers that are there for the caller.
    private func listed(for call: VarlinkCall) -> [ContainerRecord] {
        engine.listed(for: engine.restriction(of: call.peer))
    }

    /// Describes containers as the caller sees them, at once where the caller sees everything.
    private func describe(
        _ records: [ContainerRecord], for call: VarlinkCall, then: @escaping ([ContainerDescription]) -> Void
    ) {
        engine.describe(records, for: engine.restriction(of: call.peer), while: { !call.hasEnded }, then: then)
    }

    private func record(_ identifier: String) throws(ContainerError) -> ContainerRecord {
        guard let record = engine.container(identifier) else { throw .noSuchContainer(identifier: identifier) }
        return record
    }

    private func add(_ call: VarlinkCall) throws {
        try AccessPolicy.requireOperator(call.peer)
        let request = try call.request(of: ContainerInterface.Add.self)
        let configuration: ContainerConfiguration
        do {
            configuration = try ContainerConfiguration(
                identifier: request.identifier, path: request.path, packages: request.packages ?? [],
                ignore: request.ignore ?? [], origin: .runtime)
        } catch {
            throw ContainerError.invalidContainer(identifier: error.identifier, message: error.message)
        }
        if engine.container(configuration.identifier) != nil {
            throw ContainerError.containerExists(identifier: configuration.identifier)
        }
        // Where the others lie was looked up when they were added; to ask for all of that anew may take for ever.
        let place = ContainerPlace(configuration)
        if let other = engine.containers.first(where: { $0.place.overlaps(place) }) {
            throw ContainerError.invalidContainer(
                identifier: configuration.identifier,
                message: "\(configuration.path) overlaps container '\(other.identifier)' at \(other.configuration.path)"
            )
        }
        guard engine.containers.count < engine.limits.containers else {
            throw QueryError.limitExceeded(limit: "containers", value: Int64(engine.limits.containers))
        }
        try edit(for: configuration.identifier) { $0.append(configuration) }
        let record = engine.addContainer(configuration)
        call.reply(ContainerInterface.Add.Reply(container: engine.describe(record)))
    }

    private func remove(_ call: VarlinkCall) throws {
        try AccessPolicy.requireOperator(call.peer)
        let request = try call.request(of: ContainerInterface.Remove.self)
        let record = try record(request.identifier)
        switch record.configuration.origin {
        case .runtime: break
        case .file(let file):
            throw ContainerError.invalidContainer(
                identifier: record.identifier, message: "it is defined by \(file); remove that file and reload")
        case .argument:
            throw ContainerError.invalidContainer(
                identifier: record.identifier, message: "it was given to gatherd with --container")
        }
        try edit(for: record.identifier) { $0.removeAll { $0.identifier == record.identifier } }
        engine.removeContainer(record)
        call.reply()
    }

    /// What was added at run time is on disk before it is in force, so that it is never lost by a crash. The file is the
    /// list: a container in it that gives way to a configured one now stays in it.
    private func edit(
        for identifier: String, _ change: (inout [ContainerConfiguration]) -> Void
    ) throws(ContainerError) {
        do {
            var containers = try runtime.load()
            change(&containers)
            try runtime.save(containers)
        } catch {
            throw .invalidContainer(identifier: identifier, message: "\(error)")
        }
    }

    private func rescan(_ call: VarlinkCall) throws {
        try AccessPolicy.requireOperator(call.peer)
        let request = try call.request(of: ContainerInterface.Rescan.self)
        let record = try record(request.identifier)
        engine.watcher.rescan(record.number) { [engine] counts in
            engine.completions.append {
                call.reply(
                    ContainerInterface.Rescan.Reply(
                        added: Int64(counts.added), changed: Int64(counts.changed), removed: Int64(counts.removed)))
            }
        }
        engine.turn()
    }

    /// One reply now and, with `more`, one for each change of state; those that a slow reader missed are one.
    private func monitor(_ call: VarlinkCall) {
        if call.wantsMore { return engine.monitors.add(call, as: engine.restriction(of: call.peer)) }
        describe(listed(for: call), for: call) { call.reply(ContainerInterface.Monitor.Reply(containers: $0)) }
    }
}

extension Engine {
    /// Describes containers as a caller sees them: at once where that is everything, and else when they are counted, unless
    /// nobody waits for it any more.
    func describe(
        _ records: [ContainerRecord], for caller: Credentials?, while isAwaited: @escaping () -> Bool,
        then: @escaping ([ContainerDescription]) -> Void
    ) {
        guard let caller else { return then(records.map { describe($0) }) }
        let engine = self
        takeCensus(of: records, for: caller, while: isAwaited) { counts in
            then(zip(records, counts).map { engine.describe($0, as: $1) })
        }
    }

    /// A container as it travels; to one who does not see everything in it, as far as they see it.
    func describe(_ record: ContainerRecord, as census: Census? = nil) -> ContainerDescription {
        let state = state(of: record)
        let figures = watcher.figures(of: record.number)
        if let census, !census.isComplete { return describe(record, state, census) }
        return ContainerDescription(
            identifier: record.identifier, path: record.configuration.path,
            state: GatherProtocol.ContainerState(rawValue: state.name) ?? .other,
            reason: state.reason ?? record.accessReason ?? record.extrasReason,
            origin: record.configuration.origin.text, items: Int64(record.index.count),
            directories: Int64(figures.directories), watches: Int64(figures.watches), polled: Int64(figures.polled),
            unreadable: Int64(figures.unreadable), packages: record.configuration.packages,
            ignore: record.configuration.ignore, clock: clock(question: 0).text,
            filled: record.extras == .filled
                ? Attribute.fixed.filter(\.isExtra).map(\.name) + [Attribute.extendedPrefix + "*"] : nil,
            filledBytes: record.extras == .off ? nil : Int64(record.index.extrasByteCount),
            outstanding: figures.outstanding > 0 ? Int64(figures.outstanding) : nil)
    }

    /// How many directories are watched, polled or cannot be read would tell of those that are not seen.
    private func describe(
        _ record: ContainerRecord, _ state: FileWatching.ContainerState, _ census: Census
    ) -> ContainerDescription {
        var reason = state.reason ?? record.accessReason
        if case .degraded = state { reason = "part of it is polled" }
        return ContainerDescription(
            identifier: record.identifier, path: record.configuration.path,
            state: GatherProtocol.ContainerState(rawValue: state.name) ?? .other, reason: reason,
            origin: record.configuration.origin.text, items: Int64(census.items),
            directories: Int64(census.directories + 1), watches: 0, polled: 0, unreadable: 0,
            packages: record.configuration.packages, ignore: record.configuration.ignore,
            clock: clock(question: 0).text)
    }

    /// The clock of now, for a question.
    func clock(question: UInt64) -> QueryClock { QueryClock(run: run, sequence: sequence, question: question) }
}
