// The text of a scenario, read strictly: each step, and the place of a bad one. Scenarios/README.md describes
// the format.
// SPDX-License-Identifier: Apache-2.0

/// A scenario's steps, as they stand in its text.
struct ScenarioScript {
    struct Step {
        var line: Int
        /// The line as it was written, for messages.
        var text: String
        var verb: Verb
        /// The words after the verb; for expectations, what stands between the commas.
        var words: [String]
    }

    struct Mistake: Error, CustomStringConvertible, Equatable {
        var name: String
        var line: Int
        var message: String
        var description: String { "\(name):\(line): \(message)" }
    }

    /// The form that a word must have.
    enum Word {
        case path, number, name
        /// Paths or lines between commas, none too.
        case list, operations
        case optionalNumber, optionalNow
    }

    enum Verb: String, CaseIterable {
        // Steps of programs.
        case mkdir, create, symlink, write, tag, rm, mv, exchange, link
        case mount, unmount, unreadable, readable, unsearchable, searchable
        // How the kernel tells it.
        case overflow, swap, interrupt, watches, descriptors
        // Steps of the watcher.
        case start, container, restart, read, turn, wait, hold, go, crawl, rest, settle, rescan, fill, barrier
        // Expectations.
        case waits, reached, expect, told, tree, name, same, other, state

        /// Whether it looks at what has come of the steps before it, and changes nothing.
        var isCheck: Bool {
            [.waits, .reached, .expect, .told, .tree, .name, .same, .other, .state].contains(self)
        }

        /// Whether the watcher may read what is queued.
        var mayRead: Bool { [.start, .restart, .read, .turn, .wait, .crawl, .settle].contains(self) }

        var words: [Word] {
            switch self {
            case .mkdir, .create: [.path, .optionalNumber]
            case .symlink, .rm, .mount, .unmount, .unreadable, .readable, .unsearchable, .searchable: [.path]
            case .write, .tag: [.path, .number]
            case .mv, .exchange, .link: [.path, .path]
            case .overflow, .read: [.optionalNumber]
            case .swap: [.number, .number]
            case .watches, .descriptors, .wait, .crawl: [.number]
            case .hold, .go: [.name]
            case .interrupt, .start, .restart, .turn, .rest, .rescan, .fill, .barrier, .waits, .reached: []
            case .container: [.number, .path]
            case .settle: [.optionalNow]
            case .expect, .told: [.operations]
            case .tree: [.list]
            case .name, .same, .other: [.path, .name]
            case .state: [.name]
            }
        }
    }

    /// The operations of the tree, and how many words each has.
    private static let operations: [String: [Int]] = [
        "insert": [1], "crawl": [1], "update": [1], "remove": [1], "extras": [1, 2], "exchange": [2], "move": [3],
        "replace": [3], "park": [0], "unpark": [0], "renumber": [2],
    ]

    let name: String
    private(set) var steps: [Step] = []

    /// Reads a text; `needsStart` asks for a whole scenario, one that starts the watcher and expects something.
    init(_ text: String, name: String, needsStart: Bool = true) throws(Mistake) {
        self.name = name
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let words = line.prefix { $0 != "#" }.split { $0 == " " || $0 == "\t" }.map(String.init)
            guard let first = words.first else { continue }
            guard let verb = Verb(rawValue: first) else {
                let known = Verb.allCases.map(\.rawValue).sorted().joined(separator: ", ")
                throw Mistake(name: name, line: index + 1, message: "'\(first)' is no step; the steps are \(known)")
            }
            let step: Step
            do throws(Mistake) {
                step = try ScenarioScript.step(verb, Array(words.dropFirst()), index + 1, String(line))
            } catch {
                throw Mistake(name: name, line: index + 1, message: error.message)
            }
            steps.append(step)
        }
        guard needsStart else { return }
        guard let start = steps.firstIndex(where: { $0.verb == .start }) else {
            throw Mistake(name: name, line: 1, message: "nothing starts the watcher: 'start' is missing")
        }
        if let step = steps[..<start].first(where: \.verb.isCheck) {
            throw Mistake(
                name: name, line: step.line, message: "'\(step.verb.rawValue)' stands before 'start'")
        }
    }

    private static func step(
        _ verb: Verb, _ words: [String], _ line: Int, _ text: String
    ) throws(Mistake) -> Step {
        func wrong(_ message: String) -> Mistake { Mistake(name: "", line: line, message: message) }
        if verb == .expect || verb == .told || verb == .tree {
            let items = words.joined(separator: " ").split(separator: ",").map { $0.trimmed }.filter { !$0.isEmpty }
            if verb != .tree {
                for item in items {
                    let parts = item.split(separator: " ").map(String.init)
                    let known = operations.keys.sorted().joined(separator: ", ")
                    guard let counts = operations[parts[0]] else {
                        throw wrong("'\(parts[0])' is nothing that a tree is told; that is \(known)")
                    }
                    guard counts.contains(parts.count - 1) else {
                        throw wrong("'\(item)' has \(parts.count - 1) words after '\(parts[0])', not \(counts[0])")
                    }
                }
            }
            return Step(line: line, text: text, verb: verb, words: items)
        }
        let wanted = verb.words
        let needed = wanted.filter { $0 != .optionalNumber && $0 != .optionalNow }.count
        guard words.count >= needed, words.count <= wanted.count else {
            let count = needed == wanted.count ? "\(needed)" : "\(needed) to \(wanted.count)"
            throw wrong("'\(verb.rawValue)' takes \(count) words, not \(words.count)")
        }
        for (word, kind) in zip(words, wanted) {
            switch kind {
            case .number, .optionalNumber:
                guard UInt64(word) != nil else { throw wrong("'\(word)' is not a number") }
            case .optionalNow:
                guard word == "now" else { throw wrong("'settle' takes 'now' or nothing, not '\(word)'") }
            case .path:
                guard !word.contains("//"), word == "." || !word.split(separator: "/").contains(".") else {
                    throw wrong("'\(word)' is no path")
                }
            case .name, .list, .operations: break
            }
        }
        return Step(line: line, text: text, verb: verb, words: words)
    }
}

extension Substring {
    var trimmed: String {
        String(self.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
