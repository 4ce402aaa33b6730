// Makes random scenarios, the same for the same seed, and plays them as it goes.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Glibc
import Metadata
import Synchronization
import TestSupport
import Testing

/// Random changes of a played file system, whose events are read in random portions, in the kernel's order. The oracle is
/// a walk of that file system whenever the watcher has come to rest.
struct RandomScenario {
    /// More with `GATHER_SCENARIO_SEEDS`; another beginning with `GATHER_SCENARIO_FIRST_SEED`; some kinds alone with
    /// `GATHER_SCENARIO_STEP`, which is how far apart they are.
    static let seeds: [UInt64] = {
        func read(_ name: String) -> UInt64? { getenv(name).flatMap { UInt64(String(cString: $0)) } }
        let (first, step) = (read("GATHER_SCENARIO_FIRST_SEED") ?? 1, read("GATHER_SCENARIO_STEP") ?? 1)
        return (0..<(read("GATHER_SCENARIO_SEEDS") ?? 60)).map { first + $0 * step }
    }()

    private let seed: UInt64
    /// Whether the watcher has the iterations that it asks for, and no others.
    private let isDriven: Bool
    /// Whether much is done before any of it is heard, as while a daemon is away whose descriptors are kept.
    private let isLate: Bool
    private var random: SeededGenerator
    /// Decides about extended attributes alone, so that everything else is as it is without.
    private var xattrRandom: SeededGenerator
    /// Whether extended attributes change and are asked for at some time, of some watchers before they have read anything.
    private var hasXattrs: Bool { !closes && seed % 5 < 3 }
    private var fillsAtStart: Bool { hasXattrs && seed / 5 % 2 == 0 }
    private let player: Scenario
    private var text: [String] = []
    /// Inodes whose files are gone, to be handed out again.
    private var freed: [UInt64] = []
    /// How many events were queued when the watcher had its last iteration.
    private var kept = 0
    private let names = ["a", "b", "d", "e"]
    /// The entries that must keep their identities.
    private var moves = MoveModel()
    /// The model checker's model, with more that must keep them.
    private var model: ScenarioModel?
    /// Whether directories are closed and opened; some are those of the containers, and some watchers are begun anew.
    private var closes: Bool { !isLate && seed % 4 == 3 }
    private var closesRoots: Bool { closes && seed / 16 % 2 == 1 }
    private var restarts: Bool { closes && seed % 16 > 8 }
    /// Where in the played file system each container lies; every other seed has two.
    private let containers: [UInt32: String]
    /// Lowered ones. If events are lost, the tree's content is known in the end, and its identities are not.
    private let limits: WatchLimits?

    init(seed: UInt64, limits: WatchLimits? = nil, isDriven: Bool = false, isLate: Bool = false) {
        self.limits = limits
        self.seed = seed
        self.isDriven = isDriven
        self.isLate = isLate
        random = SeededGenerator(seed: seed)
        xattrRandom = SeededGenerator(seed: seed &* 31 &+ 7)
        containers = seed % 2 == 0 || seed % 8 == 7 ? [1: "/c", 2: "/o"] : [1: "/c"]
        // Some watchers have no time, so that whatever is made in slices is.
        player = RandomScenario.player(seed, limits, isDriven: isDriven)
        if limits == nil { model = ScenarioModel(containers) }
    }

    static func player(_ seed: UInt64, _ limits: WatchLimits? = nil, isDriven: Bool = false) -> Scenario {
        let isHurried = seed % 3 == 0
        return Scenario(isDriven: isDriven) { settings in
            if let limits { settings.limits = limits }
            guard isHurried else { return }
            settings.iterationBudget = 0
            settings.crawledEntriesPerIteration = 1
            settings.directorySlice = 1
            settings.comparisonSlice = 1
            settings.comparisonWindow = 2
        }
    }

    func play() {
        var player = self
        player.run()
    }

    private mutating func run() {
        if containers.count > 1 { perform("mkdir /o") }
        for _ in 0..<15 {
            change()
            if hasXattrs { tag() }
        }
        if fillsAtStart { perform("fill") }
        if containers.count > 1 { perform("container 2 /o") }
        perform("start")
        model?.begin(player.tree, player.kernel)
        for _ in 0..<(isLate ? 4 : 12) {
            for _ in 0..<Int.random(in: isLate ? 10...50 : 2...14, using: &random) {
                if isLate, Int.random(in: 0..<4, using: &random) == 0 { save() }
                change()
                if hasXattrs { changeXattrs() }
                if !isLate { receiveLeftEvents() }
            }
            for _ in 0..<(isLate ? Int.random(in: 0...6, using: &random) : 0) {
                perform(RandomScenario.portion(Int.random(in: 1...7, using: &random), &random))
            }
            perform("go crawl")
            perform("settle")
            guard check() else { return }
            let unread = player.wrongXattrs()
            if !unread.isEmpty {
                Issue.record("GATHER_SCENARIO_FIRST_SEED=\(seed): extras: \(unread):\n\(least())")
                return
            }
            var wrong = limits == nil ? moves.check(player.tree, player.kernel, containers) : []
            wrong += model?.check(player.tree, player.kernel) ?? []
            if !wrong.isEmpty {
                Issue.record("GATHER_SCENARIO_FIRST_SEED=\(seed): identities: \(wrong):\n\(least())")
                return
            }
        }
        player.end("seed \(seed)")
    }

    private func check() -> Bool {
        for (number, path) in containers {
            let expected = player.kernel.received(player.kernel.contents(below: path))
            let found = player.kernel.received(player.tree.contents(of: number))
            guard found != expected else { continue }
            let differing = Set(expected.keys).union(found.keys).filter { expected[$0] != found[$0] }
                .map {
                    let name = String(decoding: $0, as: UTF8.self)
                    let what = found[$0] == nil ? "missing" : expected[$0] == nil ? "too many" : "differs"
                    return "\(path)/\(name): \(what)"
                }
            Issue.record("GATHER_SCENARIO_FIRST_SEED=\(seed): \(differing.sorted()):\n\(least())")
            return false
        }
        return true
    }

    /// The steps that the failure takes.
    private func least() -> String {
        let shrinker = ScenarioShrinker(containers: containers, hasModel: model != nil, judgesMoves: limits == nil)
        return shrinker.shrink(text) { RandomScenario.player(seed, limits, isDriven: isDriven) }
            .joined(separator: "\n")
    }

    /// Plays a line and keeps it.
    private mutating func perform(_ line: String) {
        text.append(line)
        guard let script = try? ScenarioScript(line, name: "seed \(seed)", needsStart: false) else {
            Issue.record("seed \(seed): \(line)")
            return
        }
        for step in script.steps {
            moves.note(step, player.kernel)
            model?.note(step, player.kernel)
            player.play(step, of: script.name)
        }
        if script.steps.first?.verb.mayRead == true {
            kept = player.kernel.state.withLock { $0.queue.count }
        }
    }

    private mutating func pick(_ weights: [Int]) -> Int {
        var choice = Int.random(in: 0..<weights.reduce(0, +), using: &random)
        for (index, weight) in weights.enumerated() {
            if choice < weight { return index }
            choice -= weight
        }
        return 0
    }

    /// A path in a container, or now and then outside; the directory that holds it exists.
    private mutating func place() -> String {
        var path = Int.random(in: 0..<6, using: &random) == 0 ? "outside" : ""
        if path.isEmpty, containers.count > 1, Int.random(in: 0..<3, using: &random) == 0 { path = "/o" }
        while true {
            let name = names.randomElement(using: &random) ?? ""
            path = path.isEmpty ? name : path + "/" + name
            let isDeeper = Int.random(in: 0..<3, using: &random) > 0 && path.count < 10
            if !isDeeper || kind(path) != .directory { return path }
        }
    }

    private func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : path.hasPrefix("outside") ? "/" + path : "/c/" + path
    }
    private func kind(_ path: String) -> FileKind? { player.kernel.kind(absolute(path)) }
    private func isHidden(_ path: String) -> Bool { player.kernel.isHidden(absolute(path)) }
    private func isEmpty(_ path: String) -> Bool {
        player.kernel.contents(below: absolute(path), asSeen: false).isEmpty
    }

    /// A change of a file outside that has another name inside has no event.
    private func isUnreported(_ path: String) -> Bool {
        guard path.hasPrefix("outside"), kind(path) == .file, let inode = player.kernel.inode(absolute(path)) else {
            return false
        }
        return player.kernel.state.withLock { $0.inodes[inode]?.status.links ?? 1 } > 1
    }

    private func hasLinks(_ path: String) -> Bool {
        guard kind(path) == .file, let inode = player.kernel.inode(absolute(path)) else { return false }
        return player.kernel.state.withLock { $0.inodes[inode]?.status.links ?? 1 } > 1
    }

    private mutating func changeXattrs() {
        if Int.random(in: 0..<2, using: &xattrRandom) == 0 { tag() }
        if Int.random(in: 0..<30, using: &xattrRandom) == 0 { perform("fill") }
    }

    private mutating func tag() {
        swap(&random, &xattrRandom)
        defer { swap(&random, &xattrRandom) }
        let path = place()
        guard !isUnreported(path), kind(path) != nil else { return }
        perform("tag \(path) \(Int.random(in: 1..<1000, using: &random))")
    }

    private mutating func change() {
        if restarts, text.contains("start"), Int.random(in: 0..<60, using: &random) == 0 { return perform("restart") }
        if closesRoots, Int.random(in: 0..<40, using: &random) == 0 {
            return perform("\(changeOfMode()) \(containers.count > 1 && Bool.random(using: &random) ? "/o" : ".")")
        }
        let a = place()
        let b = place()
        guard !isUnreported(a), !isUnreported(b) else { return }
        // A write by an inaccessible name has no event for another name of the file.
        guard !isHidden(a) || !hasLinks(a), !isHidden(b) || !hasLinks(b) else { return }
        switch (pick([20, 10, 14, 16, 26, 6, 4, closes ? 0 : 4, closes ? 16 : 0]), kind(a)) {
        case (0, nil):
            var inode = ""
            if Int.random(in: 0..<2, using: &random) == 0, let number = freed.popLast() { inode = " \(number)" }
            perform("create \(a)\(inode)")
        case (1, nil):
            var inode = ""
            if Int.random(in: 0..<2, using: &random) == 0, let number = freed.popLast() { inode = " \(number)" }
            perform("mkdir \(a)\(inode)")
        case (2, .file?): perform("write \(a) \(Int.random(in: 0..<100, using: &random))")
        case (3, let kind?):
            if kind == .directory, !isEmpty(a) { return }
            let inode = player.kernel.inode(absolute(a))
            perform("rm \(a)")
            // Somebody may hold it open, or it may have another name.
            if let inode, player.kernel.state.withLock({ $0.inodes[inode] == nil }) { freed.append(inode) }
        case (4, let kind?):
            guard a != b, !b.hasPrefix(a + "/"), !a.hasPrefix(b + "/") else { return }
            if let target = self.kind(b) {
                guard (target == .directory) == (kind == .directory), target != .directory || isEmpty(b) else { return }
                // rename(2) does nothing where both are names of one file.
                guard player.kernel.inode(absolute(a)) != player.kernel.inode(absolute(b)) else { return }
            }
            perform("mv \(a) \(b)")
        case (5, .some):
            guard a != b, !b.hasPrefix(a + "/"), !a.hasPrefix(b + "/"), self.kind(b) != nil else { return }
            guard player.kernel.inode(absolute(a)) != player.kernel.inode(absolute(b)) else { return }
            perform("exchange \(a) \(b)")
        case (6, nil): perform("symlink \(a)")
        case (7, .file?):
            guard !isLate, self.kind(b) == nil, !b.hasPrefix("outside") else { return }
            // A link whose name ends before it was looked at has no event.
            perform("link \(a) \(b)")
            if text.contains("start") { perform("settle") }
        case (8, .directory?):
            perform("\(changeOfMode()) \(a)")
        default: return
        }
        // The same with a file of several names that comes in.
        let last = text.last ?? ""
        if !isLate, last.hasPrefix("mv outside") || (last.hasPrefix("exchange") && last.contains("outside")),
            text.contains("start")
        {
            perform("settle")
        }
    }

    /// A file saved by a rename, or with a copy of what it was.
    private mutating func save() {
        let path = place()
        let other = String(path.lastIndex(of: "/").map { path[...$0] } ?? "") + ".s"
        guard kind(path) == .file, kind(other) == nil else { return }
        if Bool.random(using: &random) {
            perform("create \(other)")
            perform("mv \(other) \(path)")
        } else {
            perform("mv \(path) \(other)")
            perform("create \(path)")
        }
    }

    private mutating func changeOfMode() -> String {
        let verbs = ["unreadable", "readable", "readable", "unsearchable", "searchable", "searchable"]
        return verbs.randomElement(using: &random) ?? "readable"
    }

    /// How some of the events are read.
    static func portion(_ choice: Int, _ random: inout SeededGenerator) -> String {
        switch choice {
        case 1: "read 1"
        case 2: "read \(Int.random(in: 1...5, using: &random))"
        case 3: "read"
        case 4: "wait \(Int.random(in: 0...3, using: &random))"
        case 5: Int.random(in: 0..<2, using: &random) == 0 ? "hold crawl" : "go crawl"
        case 6: "turn"
        default: "crawl \(Int.random(in: 1...2, using: &random))"
        }
    }

    /// How some of the events are read, or lost.
    private mutating func receiveLeftEvents() {
        let choice = pick([30, 14, 14, 8, 6, 4, 3, 6, 3])
        switch choice {
        case 0: return
        case 1...7: perform(RandomScenario.portion(choice, &random))
        default:
            // Queued events stay there: the kernel loses those that come to a queue that is full.
            let queued = player.kernel.state.withLock { $0.queue.count }
            if queued > kept { perform("overflow \(Int.random(in: kept..<queued, using: &random))") }
        }
    }
}
