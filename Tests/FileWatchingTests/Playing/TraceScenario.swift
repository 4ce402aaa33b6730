// The steps of a failed run of the model checker, played without a kernel: read in many other portions, until it fails
// again, and then cut down.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Metadata
import Synchronization
import TestSupport
import Testing

/// The changes of a trace that `Packaging/dev/check-model` has left behind. Those of its last round are heard in random portions,
/// those before one by one. Where the daemon was ended or a container was added it cannot be played.
struct TraceScenario {
    /// The file that `GATHER_SCENARIO_TRACE` names; how often it is played, `GATHER_SCENARIO_SEEDS`, says as ever.
    static let text: String? = {
        guard let path = getenv("GATHER_SCENARIO_TRACE"), let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        while case let byte = getc(file), byte >= 0 { bytes.append(UInt8(byte)) }
        return String(decoding: bytes, as: UTF8.self)
    }()

    private static let areas = ["box": "", "other": "/o", "outside": "outside"]
    private static let prefix = "/tmp/gather-model-"
    private static let mostThreads = 8

    private let containers: [UInt32: String]
    private let shrinker: ScenarioShrinker
    /// The changes, and whether something may be heard behind each.
    private var steps: [(line: String, isReceived: Bool)] = []
    /// Where the last round begins.
    private var last = 0
    private var hasStarted = false
    /// The file system as the changes leave it.
    private let scratch = Scenario()

    init(_ text: String) {
        let hasTwo = text.contains("/other/")
        containers = hasTwo ? [1: "/c", 2: "/o"] : [1: "/c"]
        shrinker = ScenarioShrinker(containers: containers, hasModel: true, judgesMoves: true)
        if hasTwo { add("mkdir /o") }
        // Those in which threads have areas of their own were there from the beginning.
        for thread in 0..<TraceScenario.mostThreads where text.contains("/thread\(thread)/") {
            for area in [""] + (hasTwo ? ["/o/"] : []) + ["outside/"] { add("mkdir \(area)thread\(thread)") }
        }
        var isStopped = false
        for line in text.split(separator: "\n") {
            switch line {
            case "round 0":
                if hasTwo { steps.append(("container 2 /o", false)) }
                steps.append(("start", false))
                (hasStarted, last) = (true, steps.count)
            case "the daemon is stopped": isStopped = true
            case "the daemon goes on": isStopped = false
            case _ where line.hasPrefix("round "):
                steps.append(("settle", false))
                last = steps.count
            case _ where line.hasPrefix("asked: "): steps.append(("settle", false))
            default:
                guard let colon = line.firstIndex(of: ":"), Int(line[..<colon]) != nil else { continue }
                change(line[colon...].dropFirst(2), isReceived: !isStopped)
            }
        }
        steps.append(("settle", false))
    }

    private mutating func add(_ line: String, isReceived: Bool = false) {
        guard let step = try? ScenarioScript(line, name: "trace", needsStart: false).steps.first,
            shrinker.isPossible(step, scratch.kernel)
        else { return }
        let comesWithLinks = line.hasPrefix("mv outside") && hasLinks(shrinker.absolute(step.words[0]))
        scratch.play(step, of: "trace")
        steps.append((line, isReceived))
        // A link that is gone before it was looked at has no event.
        if hasStarted, comesWithLinks || line.hasPrefix("link") { steps.append(("settle", false)) }
    }

    private func hasLinks(_ path: String) -> Bool {
        guard scratch.kernel.kind(path) == .directory else {
            guard let inode = scratch.kernel.inode(path) else { return false }
            return scratch.kernel.state.withLock { $0.inodes[inode]?.status.links ?? 1 } > 1
        }
        return scratch.kernel.contents(below: path, asSeen: false).values.contains {
            $0.kind != .directory && $0.links > 1
        }
    }

    private mutating func change(_ text: Substring, isReceived: Bool) {
        guard let start = text.firstRange(of: TraceScenario.prefix) else { return }
        let words = text[..<start.lowerBound].split(separator: " ")
        let paths = text[start.lowerBound...].split(separator: " -> ").compactMap(place)
        guard let verb = words.first, let path = paths.first else { return }
        switch verb {
        case "create", "mkfifo": add("create \(path)", isReceived: isReceived)
        case "append", "truncate": add("write \(path) \(words.last ?? "0")", isReceived: isReceived)
        case "mkdir", "symlink": add("\(verb) \(path)", isReceived: isReceived)
        case "remove": add("rm \(path)", isReceived: isReceived)
        case "rm": removeTree(path, isReceived: isReceived)
        case "rename" where paths.count == 2 && !text.hasPrefix("rename of"):
            add("mv \(path) \(paths[1])", isReceived: isReceived)
        case "exchange" where paths.count == 2: add("exchange \(path) \(paths[1])", isReceived: isReceived)
        case "link" where paths.count == 2: add("link \(path) \(paths[1])", isReceived: isReceived)
        case "tag", "chmod", "utimensat", "setxattr": add("tag \(path) \(steps.count)", isReceived: isReceived)
        default: break
        }
    }

    private mutating func removeTree(_ path: String, isReceived: Bool) {
        guard scratch.kernel.kind(shrinker.absolute(path)) != nil else { return }
        let below = scratch.kernel.contents(below: shrinker.absolute(path), asSeen: false).keys
        for name in below.sorted(by: { $1.lexicographicallyPrecedes($0) }) {
            add("rm \(path)/\(String(decoding: name, as: UTF8.self))", isReceived: isReceived)
        }
        add("rm \(path)", isReceived: isReceived)
    }

    /// Where a path of the checker lies in the played file system.
    private func place(_ path: Substring) -> String? {
        let names = path.dropFirst(TraceScenario.prefix.count).split(separator: "/").dropFirst()
        guard let area = names.first, let root = TraceScenario.areas[String(area)] else { return nil }
        let below = names.dropFirst().map { $0.map { " #".contains($0) ? "_" : String($0) }.joined() }
        return ((root.isEmpty ? [] : [root]) + below).joined(separator: "/")
    }

    /// Plays it in as many ways as are asked for, to the first that fails.
    func play() {
        #expect(steps.count > last, "nothing is done in it")
        for seed in RandomScenario.seeds {
            let lines = slice(seed)
            guard shrinker.fails(lines, RandomScenario.player(seed)) != nil else { continue }
            let least = shrinker.shrink(lines) { RandomScenario.player(seed) }
            Issue.record("GATHER_SCENARIO_FIRST_SEED=\(seed):\n\(least.joined(separator: "\n"))")
            return
        }
    }

    private func slice(_ seed: UInt64) -> [String] {
        var random = SeededGenerator(seed: seed)
        var lines: [String] = []
        let first = steps.firstIndex { $0.line == "start" } ?? 0
        let haste = Int.random(in: 1...9, using: &random)
        for (place, step) in steps.enumerated() {
            lines.append(step.line)
            guard step.isReceived else { continue }
            if place < last {
                if place >= first { lines.append("settle") }
            } else if Int.random(in: 0..<10, using: &random) < haste {
                lines.append(RandomScenario.portion(Int.random(in: 1...7, using: &random), &random))
            }
        }
        return lines
    }
}
