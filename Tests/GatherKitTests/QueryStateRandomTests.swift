// The live query against a naive model: random changes, readers of every speed, freezes, lost connections, daemons that
// remember and daemons that do not.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import TestSupport
import Testing

@testable import GatherKit

/// A daemon that is a set of files, and tells what changes as the contract says.
private struct PlayedDaemon {
    private(set) var files: [String: PlayedFile] = [:]
    private var nextID = 0
    private var nextInode: Int64 = 100
    private var time: Int64 = 1000
    private(set) var clock = 0
    private var epoch = 0
    /// The sets at each clock, for `since`.
    private var history: [String: [String: PlayedFile]] = [:]

    var clockText: String { "\(epoch):\(clock)" }

    init() { history[clockText] = files }

    /// One random change; nil where nothing can be changed.
    mutating func change(_ generator: inout SeededGenerator) -> QueryChanges {
        time += 1
        clock += 1
        defer { history[clockText] = files }
        let victim = files.values.sorted { $0.id < $1.id }.randomElement(using: &generator)
        switch Int.random(in: 0..<10, using: &generator) {
        case 0..<4:
            let path = "/c/\(Int.random(in: 0..<40, using: &generator))"
            guard !files.values.contains(where: { $0.path == path }) else { return QueryChanges() }
            let file = make(path)
            return QueryChanges(added: [file.item()])
        case 4..<6:
            guard let victim else { return QueryChanges() }
            files[victim.id] = nil
            return QueryChanges(removed: [victim.removal])
        case 6..<8:
            guard var file = victim else { return QueryChanges() }
            file.size += 1
            file.changed = time
            files[file.id] = file
            return QueryChanges(changed: [file.item()])
        default:
            guard var file = victim else { return QueryChanges() }
            let path = "/c/\(Int.random(in: 0..<40, using: &generator))"
            guard !files.values.contains(where: { $0.path == path }) else { return QueryChanges() }
            let former = file.path
            file.path = path
            file.changed = time
            files[file.id] = file
            return QueryChanges(changed: [file.item(previousPath: former)])
        }
    }

    private mutating func make(_ path: String) -> PlayedFile {
        nextID += 1
        nextInode += 1
        let file = PlayedFile(
            id: "\(epoch)-\(nextID)", path: path, size: 0, inode: nextInode, created: time, changed: time)
        files[file.id] = file
        return file
    }

    /// Forgets everything but the files, as a daemon without saved state does: other identities, other clocks.
    mutating func forget() {
        epoch += 1
        history = [:]
        var renumbered: [String: PlayedFile] = [:]
        for var file in files.values {
            nextID += 1
            file.id = "\(epoch)-\(nextID)"
            renumbered[file.id] = file
        }
        files = renumbered
        history[clockText] = files
    }

    /// The answer to a Watch up to gathered.
    func gather(since: String?) -> [QueryReply] {
        guard let since, let former = history[since] else {
            let added = files.values.map { $0.item() }
            let half = added.count / 2
            return [
                .started(fresh: true), .progress(QueryChanges(added: Array(added[..<half]))),
                .progress(QueryChanges(added: Array(added[half...]))), .gathered(clock: clockText),
            ]
        }
        var difference = QueryChanges()
        for (id, file) in files {
            if let old = former[id] {
                if old != file { difference.changed.append(file.item(previousPath: old.path)) }
            } else {
                difference.added.append(file.item())
            }
        }
        for (id, file) in former where files[id] == nil { difference.removed.append(file.removal) }
        return [.started(), .progress(difference), .gathered(clock: clockText)]
    }
}

struct QueryStateRandomTests {
    @Test(arguments: 0..<60)
    func `The updates of any reader add up to what the daemon has`(_ seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        var daemon = PlayedDaemon()
        for _ in 0..<Int.random(in: 0..<30, using: &generator) { _ = daemon.change(&generator) }

        var state = QueryState(configuration: .everything())
        var readers: [UInt64: StrictReader] = [:]
        var isConnected = false
        var freezes = 0
        state.start(.everything())

        func drain(_ number: UInt64, _ state: inout QueryState, atMost count: Int = .max) {
            for _ in 0..<count {
                guard let notification = state.next(for: number) else { return }
                readers[number]?.hear(notification)
            }
        }

        for _ in 0..<400 {
            switch Int.random(in: 0..<20, using: &generator) {
            case 0:
                if readers.count < 5 { readers[state.addReader()] = StrictReader() }
            case 1..<5:
                guard let number = readers.keys.sorted().randomElement(using: &generator) else { continue }
                drain(number, &state, atMost: Int.random(in: 1...3, using: &generator))
            case 5:
                freezes += 1
                state.freeze()
            case 6, 7:
                freezes = max(0, freezes - 1)
                state.thaw()
            case 8:
                isConnected = false
                state.loseConnection(GatherError(code: .connectionLost, message: "gone"))
                if Bool.random(using: &generator) { daemon.forget() }
            case 9, 10:
                guard !isConnected else { continue }
                isConnected = true
                let replies = daemon.gather(since: state.beginCall())
                // Some connections are lost in the middle.
                let count = Bool.random(using: &generator) ? replies.count : Int.random(in: 0..<4, using: &generator)
                for reply in replies.prefix(count) { state.receive(reply) }
                if count < replies.count {
                    isConnected = false
                    state.loseConnection(GatherError(code: .connectionLost, message: "gone"))
                }
            default:
                let changes = daemon.change(&generator)
                guard isConnected, !changes.isEmpty else { continue }
                state.receive(.updated(changes, clock: daemon.clockText))
            }
        }

        for _ in 0..<freezes { state.thaw() }
        if !isConnected { for reply in daemon.gather(since: state.beginCall()) { state.receive(reply) } }
        let late = state.addReader()
        readers[late] = StrictReader()
        for number in readers.keys { drain(number, &state) }

        let truth = Set(daemon.files.values.map { [$0.path, "\($0.size)", "\($0.inode)", "\($0.changed)"] })
        func facts(_ items: some Sequence<MetadataItem>) -> Set<[String]> {
            Set(
                items.map {
                    [
                        $0.path ?? "", "\($0.size ?? -1)", "\($0.inode ?? 0)",
                        "\(($0.changed?.nanoseconds ?? 0) / 1_000_000_000)",
                    ]
                })
        }
        #expect(facts(state.visibleResults.items) == truth, "seed \(seed)")
        for (number, reader) in readers {
            #expect(reader.violations.isEmpty, "seed \(seed), reader \(number): \(reader.violations)")
            #expect(facts(reader.items.values) == truth, "seed \(seed), reader \(number)")
            #expect(reader.isGathered, "seed \(seed), reader \(number)")
        }
    }
}
