// Answers io.gatherd.Container.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import GatherProtocol
import Glibc
import LinuxSystem
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
        case ContainerInterface.ReadableBy.name: try readableBy(call)
        case ContainerInterface.Add.name: try add(call)
        case ContainerInterface.Remove.name: try remove(call)
        case ContainerInterface.Rescan.name: try rescan(call)
        case ContainerInterface.Accept.name: try accept(call)
        case ContainerInterface.Monitor.name: monitor(call)
        case ContainerInterface.Share.name: try share(call)
        default: call.fail(.methodNotImplemented(call.method))
        }
    }

    /// Returns the containers that the caller may list.
    private func listed(for call: VarlinkCall) -> [ContainerRecord] {
        engine.listed(for: engine.access.restriction(of: call.peer))
    }

    /// Names the containers that another caller may list. The answer is that of `listed(for:)`, by which List answers this caller.
    private func readableBy(_ call: VarlinkCall) throws {
        guard engine.access.mayReportStates(call.peer) else { throw VarlinkError.permissionDenied }
        let request = try call.request(of: ContainerInterface.ReadableBy.self)
        func identifier(_ number: Int64, _ name: String) throws(VarlinkError) -> UInt32 {
            guard let identifier = UInt32(exactly: number) else { throw .invalidParameter(name) }
            return identifier
        }
        let asker = PeerCredentials(
            processID: 0, userID: try identifier(request.user, "user"), groupID: try identifier(request.group, "group"),
            groups: try request.groups.map { try identifier($0, "groups") })
        call.reply(
            ContainerInterface.ReadableBy.Reply(
                identifiers: engine.listed(for: engine.access.restriction(of: asker)).map(\.identifier)))
    }

    /// Describes containers as the caller sees them. Calls `then` at once if the caller sees everything.
    private func describe(
        _ records: [ContainerRecord], for call: VarlinkCall, then: @escaping ([ContainerDescription]) -> Void
    ) {
        engine.describe(records, for: engine.access.restriction(of: call.peer), while: { !call.hasEnded }, then: then)
    }

    private func record(_ identifier: String) throws(ContainerError) -> ContainerRecord {
        guard let record = engine.containers.named(identifier) else { throw .noSuchContainer(identifier: identifier) }
        return record
    }

    private func add(_ call: VarlinkCall) throws {
        try AccessPolicy.requireOperator(call.peer)
        let request = try call.request(of: ContainerInterface.Add.self)
        let configuration: ContainerConfiguration
        do {
            configuration = try ContainerConfiguration(
                identifier: request.identifier, path: request.path, packages: request.packages ?? [],
                ignore: request.ignore ?? [], sync: request.sync, origin: .runtime)
        } catch {
            throw ContainerError.invalidContainer(identifier: error.identifier, message: error.message)
        }
        if engine.containers.named(configuration.identifier) != nil {
            throw ContainerError.containerExists(identifier: configuration.identifier)
        }
        if let other = engine.containers.first(where: { $0.configuration.isNamedLike(configuration) }) {
            throw ContainerError.invalidContainer(
                identifier: configuration.identifier, message: "\(other.configuration.namesake); nothing was added")
        }
        if let obstacle = runtime.obstacle(to: configuration) {
            throw ContainerError.invalidContainer(identifier: configuration.identifier, message: obstacle)
        }
        // The places of other containers were looked up when these were added. A look-up now could block without a
        // limit.
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
        if let refusal = refusal(of: configuration) {
            throw ContainerError.invalidContainer(identifier: configuration.identifier, message: refusal)
        }
        try edit(for: configuration.identifier) { $0.append(configuration) }
        let record = engine.addContainer(configuration)
        call.reply(ContainerInterface.Add.Reply(container: engine.describe(record)))
    }

    /// Returns why a directory cannot be a container of this daemon. Nil also for one that may become available by itself, such as one
    /// that is not mounted.
    private func refusal(of configuration: ContainerConfiguration) -> String? {
        switch engine.watcher.openingError(at: configuration.path) {
        case .some(let error) where error == .noAccess || error == .notPermitted:
            "gatherd runs as user \(geteuid()), who may not read \(configuration.path) (\(error)); nothing was added"
        case .notDirectory: "\(configuration.path) is no directory; nothing was added"
        default: nil
        }
    }

    /// Shares a container, or shares it no longer. Other names are no items then.
    private func share(_ call: VarlinkCall) throws {
        try AccessPolicy.requireOperator(call.peer)
        let request = try call.request(of: ContainerInterface.Share.self)
        let record = try record(request.identifier)
        let former = record.configuration
        let configuration: ContainerConfiguration
        do {
            configuration = try ContainerConfiguration(
                identifier: former.identifier, path: former.path, packages: former.packages, ignore: former.ignore,
                sync: request.sync, origin: former.origin)
        } catch {
            throw ContainerError.invalidContainer(identifier: error.identifier, message: error.message)
        }
        if configuration == former {
            return call.reply(ContainerInterface.Share.Reply(container: engine.describe(record)))
        }
        switch former.origin {
        case .runtime: break
        case .file(let file):
            let change = request.sync == nil ? "remove the line 'sync' from" : "add the line 'sync = \"syncthing\"' to"
            throw ContainerError.invalidContainer(
                identifier: record.identifier,
                message: "it is defined by a file; \(change) \(file), then 'gather reload'")
        case .argument:
            throw ContainerError.invalidContainer(
                identifier: record.identifier,
                message: "it is an argument of gatherd (--container); define it in containers.d, or add it with "
                    + "'gather container add'")
        }
        try edit(for: record.identifier) { containers in
            containers.removeAll { $0.identifier == configuration.identifier }
            containers.append(configuration)
        }
        let isDone = engine.setSharing(of: record, by: configuration) { [engine] in
            call.reply(ContainerInterface.Share.Reply(container: engine.describe(record)))
        }
        if isDone { return }
        engine.removeContainer(record)
        call.reply(ContainerInterface.Share.Reply(container: engine.describe(engine.addContainer(configuration))))
    }

    private func remove(_ call: VarlinkCall) throws {
        try AccessPolicy.requireOperator(call.peer)
        let request = try call.request(of: ContainerInterface.Remove.self)
        let record = try record(request.identifier)
        switch record.configuration.origin {
        case .runtime: break
        case .file(let file):
            throw ContainerError.invalidContainer(
                identifier: record.identifier,
                message: "it is defined by \(file); remove that file, then 'gather reload'")
        case .argument:
            throw ContainerError.invalidContainer(
                identifier: record.identifier,
                message: "it is an argument of gatherd (--container); restart gatherd without it")
        }
        try edit(for: record.identifier) { $0.removeAll { $0.identifier == record.identifier } }
        engine.removeContainer(record, forgetsMark: true)
        call.reply()
    }

    /// Changes the list of containers added at run time. The list is on the disk before the change takes effect, so
    /// that a crash loses nothing. A container in the list that gives way to a configured one stays in the list.
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
            engine.iterations.atEnd {
                if case .unavailable(let reason) = engine.state(of: record) {
                    return call.fail(
                        ContainerError.containerUnavailable(identifier: record.identifier, message: reason))
                }
                call.reply(
                    ContainerInterface.Rescan.Reply(
                        added: Int64(counts.added), changed: Int64(counts.changed), removed: Int64(counts.removed)))
            }
        }
        engine.runIteration()
    }

    private func accept(_ call: VarlinkCall) throws {
        try AccessPolicy.requireOperator(call.peer)
        let record = try record(try call.request(of: ContainerInterface.Accept.self).identifier)
        engine.watcher.acceptRoot(of: record.number)
        engine.runIteration()
        if case .unavailable(let reason) = engine.state(of: record) {
            throw ContainerError.containerUnavailable(identifier: record.identifier, message: reason)
        }
        call.reply(ContainerInterface.Accept.Reply(container: engine.describe(record)))
    }

    /// Replies once and, with `more`, after each change of a state. A slow reader gets one reply for several changes.
    private func monitor(_ call: VarlinkCall) {
        if call.wantsMore { return engine.monitors.add(call, as: engine.access.restriction(of: call.peer)) }
        describe(listed(for: call), for: call) { call.reply(ContainerInterface.Monitor.Reply(containers: $0)) }
    }
}

extension Engine {
    /// Describes containers as a caller sees them. Calls `then` at once for a caller that sees everything, otherwise
    /// after the items are counted, unless `isAwaited` is false by then.
    func describe(
        _ records: [ContainerRecord], for caller: Credentials?, while isAwaited: @escaping () -> Bool,
        then: @escaping ([ContainerDescription]) -> Void
    ) {
        guard let caller else { return then(records.map { describe($0) }) }
        let engine = self
        census.take(of: records, for: caller, while: isAwaited) { counts in
            then(zip(records, counts).map { engine.describe($0, as: $1) })
        }
    }

    /// Describes a container, with the numbers of a caller that does not see everything, if given.
    func describe(_ record: ContainerRecord, as census: Census? = nil) -> ContainerDescription {
        var state = state(of: record)
        // The reason names the container around it, which the caller may not know.
        if census != nil, watcher.isEnclosed(record.number) { state = .unavailable(reason: Enclosure.reasonForOthers) }
        let figures = watcher.figures(of: record.number)
        if let census, !census.isComplete { return describe(record, state, census) }
        return ContainerDescription(
            identifier: record.identifier, path: record.configuration.path,
            state: ContainerState(rawValue: state.name) ?? .other,
            reason: state.reason ?? record.accessReason ?? record.xattrReason,
            origin: record.configuration.origin.text, items: Int64(record.index.count),
            directories: Int64(figures.directories), watches: Int64(figures.watches), polled: Int64(figures.polled),
            unreadable: Int64(figures.unreadable), packages: record.configuration.packages,
            ignore: record.configuration.ignore, clock: commits.clock(question: 0).text,
            filled: record.xattrs.isFilled
                ? Attribute.fixed.filter(\.isExtra).map(\.name) + [Attribute.extendedPrefix + "*"] : nil,
            filledBytes: record.xattrs.isOff ? nil : Int64(record.index.xattrByteCount),
            outstanding: figures.outstanding > 0 ? Int64(figures.outstanding) : nil,
            unreadablePaths: figures.unreadable > 0 ? unreadablePaths(of: record) : nil,
            sync: record.configuration.sync?.rawValue,
            overLimit: figures.overLimit > 0 ? Int64(figures.overLimit) : nil,
            since: record.reported.awaySince?.rfc3339,
            mark: mark(of: record)?.token.text, markedDirectory: mark(of: record)?.directoryText)
    }

    /// Returns the absolute paths of a few directories of the container that cannot be read.
    private func unreadablePaths(of record: ContainerRecord) -> [String] {
        watcher.unreadablePaths(of: record.number, limit: Limits.unreadablePathsReported).map { path in
            let relative = String(decoding: path, as: UTF8.self)
            return relative.isEmpty ? record.configuration.path : record.configuration.path + "/" + relative
        }
    }

    /// The numbers of watched, polled and unreadable directories are left out, since they would reveal hidden ones.
    private func describe(
        _ record: ContainerRecord, _ state: WatchState, _ census: Census
    ) -> ContainerDescription {
        var reason = state.reason ?? record.accessReason
        if case .degraded = state { reason = "part of it is polled or does not answer" }
        return ContainerDescription(
            identifier: record.identifier, path: record.configuration.path,
            state: ContainerState(rawValue: state.name) ?? .other, reason: reason,
            origin: record.configuration.origin.text, items: Int64(census.items),
            directories: Int64(census.directories + 1), watches: 0, polled: 0, unreadable: 0,
            packages: record.configuration.packages, ignore: record.configuration.ignore,
            clock: commits.clock(question: 0).text, sync: record.configuration.sync?.rawValue,
            since: record.reported.awaySince?.rfc3339, mark: mark(of: record)?.token.text,
            markedDirectory: mark(of: record)?.directoryText)
    }
}
