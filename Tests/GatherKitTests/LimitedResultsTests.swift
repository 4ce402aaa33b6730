// Live queries with a limit against a naive model: all matches sorted, and the first of them.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import TestSupport
import Testing

@testable import GatherKit

@Suite struct LimitedResultsTests {
    private typealias Facts = [String]

    private static func facts(_ item: MetadataItem) -> Facts { [item.path ?? "", "\(item.size ?? -1)"] }

    /// Sorts by a naive comparison. `paths` are numbers behind `/c/`, which natural order sorts as such.
    private static func sorted(_ files: [PlayedFile], by keys: [SortKey]) -> [PlayedFile] {
        func number(_ file: PlayedFile) -> Int { Int(file.path.dropFirst(3))! }
        return files.enumerated().sorted { a, b in
            for key in keys {
                switch key.attribute {
                case .size where a.element.size != b.element.size:
                    return (a.element.size < b.element.size) == key.ascending
                case .path where a.element.path != b.element.path:
                    return (number(a.element) < number(b.element)) == key.ascending
                default: continue
                }
            }
            return a.offset < b.offset
        }.map(\.element)
    }

    private static let orders: [[SortKey]] = [
        [SortKey(.path)], [SortKey(.path, ascending: false)], [SortKey(.size, ascending: false), SortKey(.path)],
        [SortKey(.size), SortKey(.path, ascending: false)],
    ]

    /// Equal items and items without an order stand in the order of arrival. Batches of hundreds exceed the kept places.
    @Test(arguments: 0..<40)
    func `The first results follow every change, and the changes add up to them`(_ seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let keys = [[], [SortKey(.size)], [SortKey(.size, ascending: false)]][seed % 3]
        let limit = [0, 1, 2, 5, 40, 300][seed % 6]
        var set = ResultSet(ResultArrangement(sortKeys: keys, limit: limit))
        var model: [PlayedFile] = []
        var made = 0
        var reader = StrictReader()
        reader.hear(.started(resumed: false))
        reader.hear(.gathered)
        for round in 0..<60 {
            let isLarge = round % 15 == 4
            // Now and then most of the first ones go at once.
            let removes = round % 15 == 9
            var changes = QueryChanges()
            var touched: Set<MetadataItem.ID> = []
            for _ in 0..<(isLarge ? 900 : removes ? 400 : Int.random(in: 0...6, using: &generator)) {
                let choice = isLarge ? 0 : removes ? 2 : Int.random(in: 0..<3, using: &generator)
                guard choice > 0, !model.isEmpty else {
                    made += 1
                    let file = PlayedFile(
                        id: MetadataItem.ID(rawValue: "\(made)"), path: "/c/\(made)",
                        size: Int64.random(in: 0..<9, using: &generator))
                    model.append(file)
                    touched.insert(file.id)
                    changes.added.append(file.item())
                    continue
                }
                let index = Int.random(in: 0..<(removes ? min(model.count, 30) : model.count), using: &generator)
                guard touched.insert(model[index].id).inserted else { continue }
                if choice == 1 {
                    model[index].size = Int64.random(in: 0..<9, using: &generator)
                    changes.changed.append(model[index].item())
                } else {
                    changes.removed.append(model.remove(at: index).removal)
                }
            }
            let told = set.apply(changes)
            if !told.isEmpty { reader.hear(.updated(told)) }
            let expected = LimitedResultsTests.sorted(model, by: keys).prefix(limit).map(\.id)
            #expect(set.arranged().map(\.id) == expected, "seed \(seed), round \(round)")
            #expect(reader.items == Dictionary(uniqueKeysWithValues: set.arranged().map { ($0.id, $0) }))
            #expect((set.shownCount, set.count) == (expected.count, model.count))
            #expect(reader.violations.isEmpty, "seed \(seed), round \(round): \(reader.violations)")
        }
    }

    @Test(arguments: 0..<120)
    func `Notifications of any reader add up to the first results`(_ seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        var daemon = PlayedDaemon()
        for _ in 0..<Int.random(in: 0..<30, using: &generator) { _ = daemon.change(&generator) }
        var configuration = QueryConfiguration.everything()
        configuration.arrangement.sortKeys = LimitedResultsTests.orders[seed % 4]
        configuration.arrangement.limit = [0, 1, 3, 8, 200, nil][seed % 6]
        var state = QueryState(configuration: configuration)
        var readers: [UInt64: StrictReader] = [:]
        var isConnected = false
        var freezes = 0
        state.start(configuration)

        func drain(_ number: UInt64, _ state: inout QueryState, atMost count: Int = .max) {
            for _ in 0..<count {
                guard let notification = state.next(for: number) else { return }
                readers[number]?.hear(notification)
            }
        }
        func hold(_ state: inout QueryState, _ place: Comment) {
            let keys = configuration.arrangement.sortKeys
            let all = LimitedResultsTests.sorted(Array(daemon.files.values), by: keys)
            let expected = all.prefix(configuration.arrangement.limit ?? .max).map { [$0.path, "\($0.size)"] }
            let visible = state.withVisibleResults { $0.arranged() }
            #expect(visible.map(LimitedResultsTests.facts) == expected, place)
            #expect(state.visibleResults.count == all.count, place)
        }

        for step in 0..<400 {
            switch Int.random(in: 0..<24, using: &generator) {
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
                let count = Bool.random(using: &generator) ? replies.count : Int.random(in: 0..<4, using: &generator)
                for reply in replies.prefix(count) { state.receive(reply) }
                if count < replies.count {
                    isConnected = false
                    state.loseConnection(GatherError(code: .connectionLost, message: "gone"))
                }
            case 11:
                configuration.arrangement.limit = [0, 1, 3, 8, 200, nil].randomElement(using: &generator)!
                state.arrange(configuration)
            case 12:
                configuration.arrangement.sortKeys = LimitedResultsTests.orders.randomElement(using: &generator)!
                state.arrange(configuration)
            default:
                let changes = daemon.change(&generator)
                guard isConnected, !changes.isEmpty else { continue }
                state.receive(.updated(changes, clock: daemon.clockText))
                if freezes == 0, case .live = state.phase { hold(&state, "seed \(seed), step \(step)") }
            }
        }

        for _ in 0..<freezes { state.thaw() }
        if !isConnected { for reply in daemon.gather(since: state.beginCall()) { state.receive(reply) } }
        let late = state.addReader()
        readers[late] = StrictReader()
        for number in readers.keys { drain(number, &state) }
        hold(&state, "seed \(seed), at the end")
        let shown = Set(state.withVisibleResults { $0.arranged() }.map(LimitedResultsTests.facts))
        for (number, reader) in readers {
            #expect(reader.violations.isEmpty, "seed \(seed), reader \(number): \(reader.violations)")
            #expect(Set(reader.items.values.map(LimitedResultsTests.facts)) == shown, "seed \(seed), reader \(number)")
            #expect(reader.isGathered, "seed \(seed), reader \(number)")
        }
    }

    @Test func `An item that another one pushes out is removed with its path, and comes back when there is room`() {
        var set = ResultSet(ResultArrangement(sortKeys: [SortKey(.path)], limit: 2))
        let files = (1...4).map { PlayedFile(id: MetadataItem.ID(rawValue: "i\($0)"), path: "/c/\($0)") }
        let first = set.apply(QueryChanges(added: [files[1].item(), files[2].item()]))
        #expect(first.added.map(\.id) == ["i2", "i3"])
        let pushed = set.apply(QueryChanges(added: [files[0].item()]))
        #expect(pushed == QueryChanges(added: [files[0].item()], removed: [files[2].removal]))
        #expect(set.apply(QueryChanges(added: [files[3].item()])).isEmpty)
        #expect(set.apply(QueryChanges(changed: [files[3].item()])).isEmpty)
        #expect(
            set.apply(QueryChanges(removed: [files[0].removal]))
                == QueryChanges(added: [files[2].item()], removed: [files[0].removal]))
        // An item that moves behind the last one is removed with the path that readers know.
        let moved = PlayedFile(id: "i2", path: "/c/9").item(previousPath: "/c/2")
        #expect(
            set.apply(QueryChanges(changed: [moved]))
                == QueryChanges(added: [files[3].item()], removed: [files[1].removal]))
    }

    @Test func `A query that continues from an earlier clock tells all changes until it gathers anew`() {
        var configuration = QueryConfiguration.everything(since: "7")
        configuration.arrangement.limit = 1
        var state = QueryState(configuration: configuration)
        state.start(configuration)
        let reader = state.addReader()
        let files = (1...3).map { PlayedFile(id: MetadataItem.ID(rawValue: "i\($0)"), path: "/c/\($0)") }
        _ = state.beginCall()
        state.receive(.started())
        state.receive(.progress(QueryChanges(added: [files[0].item(), files[1].item()], removed: [files[2].removal])))
        state.receive(.gathered(clock: "8"))
        #expect(state.next(for: reader) == .started(resumed: true))
        guard case .progress(let changes) = state.next(for: reader) else {
            Issue.record("no progress")
            return
        }
        #expect((changes.added.count, changes.removed.count) == (2, 1))
        #expect(state.withVisibleResults { $0.arranged() }.count == 2)
        state.loseConnection(GatherError(code: .connectionLost, message: "gone"))
        _ = state.beginCall()
        state.receive(.started(fresh: true))
        state.receive(.progress(QueryChanges(added: files.map { $0.item() })))
        state.receive(.gathered(clock: "9"))
        #expect(state.withVisibleResults { $0.arranged() }.map(\.id) == ["i1"])
        #expect(state.visibleResults.count == 3)
    }

    /// The path of an item that leaves has to be known.
    @Test func `A limit requests the path`() {
        var limited = QueryConfiguration.everything()
        limited.attributes = [.name]
        let unlimited = limited
        limited.arrangement.limit = 3
        #expect(limited.requestedAttributes.contains(.path))
        #expect(!limited.asksTheSame(as: unlimited))
        var other = limited
        other.arrangement.limit = 4
        #expect(other.asksTheSame(as: limited))
    }
}
