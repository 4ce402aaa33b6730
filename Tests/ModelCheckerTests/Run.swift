// One run: a daemon, subscribers and churn from one seed, and the checks that must hold whenever it is quiet.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import IdentityModel
import TestSupport

/// A run of the checker. Everything in it follows from the seed, apart from what threads and the daemon do to each other.
final class Run {
    private enum Disturbance {
        case leave(Int), come(Int), ask, drain
        case end, start
        case stop, go
        case away, back
        case bulk
        case add
    }

    let seed: UInt64
    let mode: Mode
    /// Whether a step is taken.
    private let takes: (Step) -> Bool
    private let directory: String
    private let trace = Trace()
    private let links = FreshLinks()
    /// The containers that there are.
    private var boxes: [(identifier: String, path: String)]
    private var models: [Model] = []
    private var churners: [Churner] = []
    let daemon: Daemon
    private let questions: [Question]
    private(set) var subscribers: [Subscriber] = []
    private var ledger = IdentityLedger()
    private var round = 0
    private var bulks = 0
    /// Whether the kernel could not tell everything since it was quiet last.
    private var isLossy = false
    /// Whether the daemon has heard at once what happened over some time, since it was quiet last.
    private var wasAway = false
    private var overflows = 0
    private var isStopped = false
    private var isAway = false
    private(set) var resumes = 0
    private(set) var freshStarts = 0
    /// The daemon's memory before any subscriber comes.
    var bytesAtFirst = 0
    /// Other figures of a run that held.
    var figures = ""
    /// The steps that changed something.
    private(set) var effective: [Step] = []

    init(seed: UInt64, mode: Mode, takes: @escaping (Step) -> Bool = { _ in true }) throws {
        self.seed = seed
        self.mode = mode
        self.takes = takes
        guard let top = Files.makeTemporaryDirectory("model") else { throw Violation("no temporary directory") }
        let directory = String(decoding: top, as: UTF8.self)
        self.directory = directory
        boxes = mode.containers.map { ($0, directory + "/" + $0) }
        for name in mode.containers + ["outside", "daemon"] { _ = Files.makeDirectory(Bytes(directory + "/" + name)) }
        let box = Bytes(boxes[0].path)
        if let connections = mode.connections {
            questions = Question.many(connections, box: box, areas: mode.threads, seed: seed)
        } else {
            questions = mode.packages.isEmpty ? Question.all(box: box) : Question.ofPackages(box: box)
        }
        if mode == .added { boxes.removeLast() }
        daemon = try Daemon(
            in: directory + "/daemon", containers: boxes, packages: mode.packages, mode.conditions)
        makeChurners()
    }

    deinit { Files.removeTree(Bytes(directory)) }

    private func makeChurners() {
        for thread in 0..<mode.threads {
            var roots = mode.containers.map { name in
                Root(
                    path: Bytes(directory + "/" + name),
                    container: boxes.contains { $0.identifier == name } ? name : nil)
            }
            roots.append(Root(path: Bytes(directory + "/outside"), container: nil))
            if mode.hasAreas {
                for place in roots.indices {
                    roots[place].path = roots[place].path.entry(Bytes("thread\(thread)"))
                    _ = Files.makeDirectory(roots[place].path)
                }
            }
            let model = mode.hasModel ? Model(roots, area: thread) : nil
            if let model { models.append(model) }
            churners.append(
                Churner(
                    number: thread, roots: roots, model: model, trace: trace, links: links, packages: mode.packages,
                    closes: mode.closes, isPolled: mode == .watches))
        }
    }

    // MARK: The run

    /// Runs it to the end, or to what is wrong.
    func perform(rounds: Int? = nil) throws(Failure) {
        do {
            try begin()
            for round in 0..<(rounds ?? mode.rounds) {
                self.round = round
                trace.note("round \(round)")
                try churn()
                try settle()
                try check()
            }
            try outlast()
            if mode.connections != nil { try vanish() }
            for subscriber in subscribers {
                resumes += subscriber.set.resumes
                freshStarts += subscriber.set.freshStarts
            }
            // A clock of before a restart is honoured: a fresh answer each time would be right as well, and worth nothing.
            if KnownGaps.survivesRestarts, mode.ending != nil, freshStarts > resumes {
                throw Violation("\(freshStarts) answers were fresh, \(resumes) resumed")
            }
            let status = daemon.end(SIGTERM)
            if status != 0 { throw Violation("the daemon ended with status \(status)\n\(daemon.log)") }
        } catch {
            var what = "\(error)"
            if error is Connection.Closed {
                what = daemon.hasDied() ?? "the daemon has closed a connection\n\(daemon.log)"
            }
            let path = "/tmp/gather-model-\(mode.rawValue)-\(seed)-\(getpid()).trace"
            try? (trace.text + "\n" + daemon.log + "\n" + what + "\n")
                .write(toFile: path, atomically: true, encoding: .utf8)
            throw Failure(seed: seed, mode: mode, round: round, what: what, trace: path)
        }
    }

    private func begin() throws {
        var random = SeededGenerator(seed: seed, 0)
        for index in 0..<40 where takes(Step(round: -1, thread: 0, index: index)) {
            var random = SeededGenerator(seed: seed, 2, -1, 0, index)
            churners[0].step(&random)
            effective.append(Step(round: -1, thread: 0, index: index))
        }
        if mode.bulk > 0 { churners[0].populate(files: mode.bulk) }
        try daemon.start()
        if mode.connections != nil { try noteMemory() }
        // One that ends before it has saved anything goes on as a new one: nothing is promised of that.
        if mode.ending != nil { try awaitSavedState() }
        // One in a millisecond of all of them: more than the daemon has time for would keep it from everything else.
        let heartbeat = max(10, questions.count)
        subscribers = questions.map {
            Subscriber($0, batch: random.one(of: [0, 0, 0, 5, 600_000]), heartbeat: heartbeat)
        }
        // Some come when the first churn is over.
        for subscriber in subscribers where random.chance(3, in: 4) { try subscriber.connect(daemon.socket) }
        if mode == .slow { for subscriber in subscribers.prefix(2) { subscriber.isSlow = true } }
        links.settle(walk())
        for model in models { model.beginWindow() }
        // One that is closed from the beginning has nothing to save.
        for churner in churners { churner.closesRoots = churner.closes }
    }

    /// Waits until there is something to start again with. Nothing tells of that, so questions are the time between two looks.
    private func awaitSavedState() throws {
        let patience = Patience()
        for box in boxes {
            while !daemon.hasSaved(box.identifier) {
                if patience.isOver {
                    throw Violation("in \(Patience.seconds) s nothing was saved of '\(box.identifier)'\n\(daemon.log)")
                }
                _ = try call("Service.Status")
            }
        }
    }

    private func churn() throws {
        var random = SeededGenerator(seed: seed, 1, round)
        let counts = (0..<mode.threads).map { _ in Int.random(in: 1...mode.changes, using: &random) }
        let disturbances = disturbances(counts[0], &random)
        let (seed, round, takes) = (seed, round, UncheckedBox(value: takes))
        let group = DispatchGroup()
        for thread in 1..<max(1, mode.threads) {
            let churner = UncheckedBox(value: churners[thread])
            effective += (0..<counts[thread]).map { Step(round: round, thread: thread, index: $0) }
            group.enter()
            Thread.detachNewThread {
                for index in 0..<counts[thread] where takes.value(Step(round: round, thread: thread, index: index)) {
                    var random = SeededGenerator(seed: seed, 2, round, thread, index)
                    churner.value.step(&random)
                }
                group.leave()
            }
        }
        defer { group.wait() }
        for index in 0..<counts[0] {
            for disturbance in disturbances[index] ?? [] { try disturb(disturbance, &random) }
            guard takes.value(Step(round: round, thread: 0, index: index)) else { continue }
            var random = SeededGenerator(seed: seed, 2, round, 0, index)
            let changes = churners[0].changes
            churners[0].step(&random)
            if churners[0].changes > changes { effective.append(Step(round: round, thread: 0, index: index)) }
            if mode == .slow { for subscriber in subscribers where subscriber.isSlow { try subscriber.drain() } }
        }
        for disturbance in disturbances[counts[0]] ?? [] { try disturb(disturbance, &random) }
    }

    /// The disturbances between the changes of the first thread, by the index of the change that they precede.
    private func disturbances(_ count: Int, _ random: inout SeededGenerator) -> [Int: [Disturbance]] {
        var planned: [Int: [Disturbance]] = [:]
        func plan(_ first: Disturbance, _ second: Disturbance?, _ random: inout SeededGenerator) {
            let begin = Int.random(in: 0...count, using: &random)
            let end = Int.random(in: begin...count, using: &random)
            planned[begin, default: []].append(first)
            if let second { planned[end, default: []].append(second) }
        }
        for place in subscribers.indices where random.chance(1, in: mode.connections == nil ? 4 : 20) {
            plan(.leave(place), .come(place), &random)
        }
        for _ in 0..<4 { plan(random.chance(1, in: 2) ? .ask : .drain, nil, &random) }
        if mode.ending != nil, random.chance(2, in: 3) { plan(.end, .start, &random) }
        if mode == .stop { plan(.stop, .go, &random) }
        if mode == .away, random.chance(2, in: 3) { plan(.away, .back, &random) }
        if mode == .crawl { plan(.bulk, nil, &random) }
        if mode == .added, round == 1 { plan(.add, nil, &random) }
        return planned
    }

    private func disturb(_ disturbance: Disturbance, _ random: inout SeededGenerator) throws {
        switch disturbance {
        case .leave(let place):
            trace.note("subscriber \(place) leaves")
            // Half of what it was sent may be on its way.
            if random.chance(1, in: 2), !isStopped { try subscribers[place].drain() }
            subscribers[place].disconnect()
            if random.chance(1, in: 6) { subscribers[place].forget() }
        case .come(let place):
            guard daemon.isRunning, !subscribers[place].isConnected else { return }
            trace.note("subscriber \(place) comes")
            try subscribers[place].connect(daemon.socket)
        case .ask:
            guard daemon.isRunning, !isStopped else { return }
            try ask(random.one(of: questions))
        case .drain:
            trace.note("all read")
            for subscriber in subscribers { try subscriber.drain() }
        case .end:
            trace.note("the daemon is ended")
            if mode.ending == SIGTERM {
                let status = daemon.end(SIGTERM)
                if status != 0 { throw Violation("the daemon ended with status \(status)\n\(daemon.log)") }
            } else {
                daemon.end(SIGKILL)
            }
            for subscriber in subscribers where subscriber.isConnected {
                // Replies sent before the end are taken, whatever they come to.
                do { try subscriber.drain() } catch is Connection.Closed {}
                subscriber.disconnect()
            }
            // With its descriptors nothing of it is.
            if mode.conditions.keepsDescriptors { wasAway = true } else { isLossy = true }
            if mode.closes { for model in models { model.restarted(keepsWatches: wasAway) } }
            if !KnownGaps.survivesRestarts { ledger.forgetAll() }
        case .start:
            guard !daemon.isRunning else { return }
            trace.note("the daemon is started")
            try daemon.start()
            overflows = 0
            for subscriber in subscribers where random.chance(2, in: 3) { try subscriber.connect(daemon.socket) }
        case .stop:
            trace.note("the daemon is stopped")
            daemon.signal(SIGSTOP)
            isStopped = true
        case .go:
            trace.note("the daemon goes on")
            daemon.signal(SIGCONT)
            isStopped = false
        case .away, .back:
            let away = boxes[0].path + ".away"
            if case .away = disturbance {
                trace.note("the container goes away")
                guard rename(boxes[0].path, away) == 0 else { return }
                isAway = true
                if random.chance(2, in: 3) {
                    try settle()
                    try compareSets(walk())
                }
            } else if isAway {
                trace.note("the container comes back")
                guard rename(away, boxes[0].path) == 0 else { throw Violation("the container does not come back") }
                isAway = false
                isLossy = true
                if !KnownGaps.keepsUnavailableContainers { ledger.forgetAll() }
            }
        case .add:
            guard let root = mode.containers.indices.first(where: { $0 >= boxes.count }) else { return }
            let name = mode.containers[root]
            trace.note("the container \(name) is added")
            boxes.append((name, directory + "/" + name))
            for churner in churners { churner.adopt(root, by: name) }
            _ = try call("Container.Add", ["identifier": name, "path": boxes[root].path])
        case .bulk:
            // Made outside and moved in, so that a whole tree is to be read at once.
            bulks += 1
            trace.note("many files come")
            churners[0].bringIn(Bytes("many\(bulks)"), files: mode.bulk / 4)
        }
    }

    // MARK: Quiet

    func call(_ method: String, _ parameters: [String: Any] = [:]) throws -> [String: Any] {
        try Connection(daemon.socket).call("io.gatherd." + method, parameters)
    }

    func walk() -> [Entry] {
        let boxes = boxes
        let found = { boxes.flatMap { Entry.walk($0.identifier, Bytes($0.path)) } }
        return Entry.presented(mode.closes ? Permissions.heeding(found) : found(), packages: mode.packages)
    }

    /// Has everything told to everybody.
    private func settle() throws {
        if let death = daemon.hasDied() { throw Violation(death) }
        for subscriber in subscribers where !subscriber.isConnected { try subscriber.connect(daemon.socket) }
        // Without a model a name may be taken away by one thread while another looks what it is.
        links.touch(walk, losesAll: !mode.hasModel)
        // Before the questions of the check, which would have it wait as well.
        if mode == .watches { return try settleDegraded() }
        try settleSubscribers()
    }

    func flush() throws -> Clock {
        guard let clock = Clock(try call("Query.Flush")["clock"] as? String ?? "") else {
            throw Violation("Flush gives no clock")
        }
        return clock
    }

    func settleSubscribers() throws {
        let flushed = try flush()
        for subscriber in subscribers where !subscriber.isSlow || round % 3 == 2 {
            let isSlow = subscriber.isSlow
            subscriber.isSlow = false
            try subscriber.settle(flushed)
            subscriber.isSlow = isSlow
        }
    }

    /// If directories have no watch, changes in them are seen when they are polled, or compared on demand.
    private func settleDegraded() throws {
        func state() throws -> [String: Any] {
            try call("Container.Get", ["identifier": "box"])["container"] as? [String: Any] ?? [:]
        }
        let before = try state()
        let inexact = try call("Query.Find", ["predicate": "name == 'nothing'"])["inexact"] as? [String] ?? []
        let after = try state()
        // A poll, or a change that is looked at only now, may come between.
        if let name = before["state"] as? String, name == after["state"] as? String {
            if (name == "degraded") != (inexact == ["box"]) {
                throw Violation("box is \(name), but inexact are \(inexact)")
            }
            if name == "degraded", after["polled"] as? Int == 0 { throw Violation("degraded, but nothing is polled") }
        }
        if round % 2 == 0 {
            _ = try call("Container.Rescan", ["identifier": "box"])
            return try settleSubscribers()
        }
        // The poll comes by itself; some of what it finds makes for more to be polled. A subscriber's heartbeat is the time
        // that passes between two looks.
        let expected = Question.everything.rows(walk())
        let patience = Patience()
        while true {
            let found = try find(.everything, ["sync": false]).map(\.row).sorted()
            guard let difference = Row.difference(held: found, expected: expected) else { break }
            if patience.isOver {
                throw Violation("in \(Patience.seconds) s no poll has found what is there: \(difference)")
            }
            try subscribers[0].next()
        }
        try settleSubscribers()
    }

    private func check() throws {
        let walk = walk()
        try compareSets(walk)
        let status = try call("Service.Status")
        let overflowsNow = status["overflows"] as? Int ?? 0
        if overflowsNow != overflows || mode == .watches { isLossy = true }
        overflows = overflowsNow
        try checkIdentities(walk)
        for question in questionsAsked { try compare(question, walk) }
        for model in models { model.beginWindow(lossy: isLossy || wasAway, hasOneLink: hasOneLink) }
        (isLossy, wasAway) = (false, false)
        links.settle(walk)
    }

    /// Whether a file that cannot be seen has had one hard link all the time.
    private func hasOneLink(_ path: Bytes) -> Bool {
        guard let status = Files.status(path) else { return false }
        let inode = UInt64(status.st_ino)
        return status.st_mode & S_IFMT == S_IFDIR
            || (status.st_nlink == 1 && !links.contains(inode) && !links.hadSeveral(inode))
    }

    /// Those that are asked again when it is quiet. Thousands of files take their time to read as JSON, as thousands of answers do.
    private var questionsAsked: [Question] {
        if mode.bulk > 0 { return questions.suffix(3) }
        guard mode.connections != nil else { return questions }
        var random = SeededGenerator(seed: seed, 3, round)
        return (0..<Run.questionsOfMany).map { _ in random.one(of: questions) }
    }

    private static let questionsOfMany = 20

    func compareSets(_ walk: [Entry]) throws {
        try awaitTime(TimeOfDay.now, walk)
        for subscriber in subscribers where !subscriber.isSlow || round % 3 == 2 {
            let set = subscriber.set
            if !set.violations.isEmpty { throw Violation(set.violations.prefix(8).joined(separator: "\n    ")) }
            if let difference = set.difference(from: walk) {
                throw Violation("the subscriber of '\(set.question.name)' has not what is there: \(difference)")
            }
            guard set.question.name == questions[0].name else { continue }
            let wrong = set.wrongParents(roots: boxes.map { Bytes($0.path) })
            if !wrong.isEmpty { throw Violation(wrong.prefix(8).joined(separator: "\n    ")) }
        }
    }

    /// A question asked while changes go on. With one thread nothing changes meanwhile, so the answer is known.
    private func ask(_ question: Question) throws {
        trace.note("asked: \(question.name)")
        if mode.threads == 1 { links.touch(walk, losesAll: false) }
        if mode.threads > 1 || mode == .watches {
            _ = try call("Query.Find", question.parameters)
        } else {
            try compare(question, walk())
            for model in models { model.wasLookedAt() }
        }
    }

    private func compare(_ question: Question, _ walk: [Entry]) throws {
        var (asked, found, count): (Int, [Row], Int?)
        // If an item's time is over meanwhile, it is unknown whether it was asked before that or afterwards.
        repeat {
            asked = TimeOfDay.now
            found = try find(question).map(\.row).sorted()
            count = try call("Query.Count", question.countParameters)["count"] as? Int
        } while question.changes(walk, after: asked, upTo: TimeOfDay.now)
        let expected = question.rows(walk, at: asked)
        if let difference = Row.difference(held: found, expected: expected) {
            throw Violation("Find of '\(question.name)' does not tell what is there: \(difference)")
        }
        if count != expected.count {
            throw Violation("Count of '\(question.name)' is \(count ?? -1), not \(expected.count)")
        }
    }

    private func find(_ question: Question, _ options: [String: Any] = [:]) throws -> [(id: String, row: Row)] {
        let reply = try call("Query.Find", question.parameters.merging(options) { $1 })
        return (reply["items"] as? [[String: Any]] ?? []).map {
            ($0["id"] as? String ?? "", LiveSet.row(of: $0, question))
        }
    }

    private func checkIdentities(_ walk: [Entry]) throws {
        if isAway { return }
        var seen: [Bytes: String] = [:]
        for (id, row) in try find(questions[0]) { seen[row.key] = id }
        for subscriber in subscribers where !subscriber.isSlow && !subscriber.set.question.namesOnly {
            for (id, held) in subscriber.set.items where seen[held.row.key] != id {
                throw Violation(
                    "\(held.row.key.shown) is \(id) to the subscriber of '\(subscriber.set.question.name)', but "
                        + "\(seen[held.row.key] ?? "nothing") to Find")
            }
        }
        var single: Set<Bytes> = []
        for entry in walk {
            let hasOneLink = entry.links == 1 && !links.contains(entry.inode) && !links.hadSeveral(entry.inode)
            if entry.isDirectory || hasOneLink { single.insert(entry.path) }
        }
        var observations = models.flatMap {
            $0.observations(lossy: isLossy, movesAreTold: mode != .watches) { single.contains($0) }
        }
        if wasAway {
            // One name of a file that left a container and another that came may be that of a move.
            for place in observations.indices where !single.contains(observations[place].path) {
                observations[place].rule = .open
            }
        }
        let violations = ledger.check(
            seen, observations, hidden: models.flatMap(\.hidden), ends: models.allSatisfy(\.endsAreSure))
        if !violations.isEmpty {
            throw Violation("identities: " + violations.sorted().prefix(8).joined(separator: "\n    "))
        }
    }
}
