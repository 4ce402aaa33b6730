// The live query against a naive model: random changes, readers of every speed, freezes, lost connections, daemons that
// remember and daemons that do not.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import TestSupport
import Testing

@testable import GatherKit

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
