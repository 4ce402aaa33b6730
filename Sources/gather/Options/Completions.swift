// What a shell offers to type: containers as the daemon has them, and attributes.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherKit
internal import Glibc

/// Words that shells offer (`gather --generate-completion-script`). Made while somebody waits with a finger on the tab key:
/// whatever goes wrong or takes long, nothing is offered and nothing is said.
///
/// Bash's script hands what is offered to `compgen -W`, which expands it: a `$(…)` that is only typed would run if it were
/// offered back. So nothing is offered there that has characters which bash might take for more than themselves.
enum Completions {
    /// Identifiers of containers.
    static let containers = CompletionKind.custom { words, _, _ in identifiers(words) }

    /// Identifiers of those that were added at run time, which alone can be removed.
    static let removable = CompletionKind.custom { words, _, _ in identifiers(words) { $0.origin == "runtime" } }

    /// One attribute.
    static let attribute = CompletionKind.custom { _, _, _ in attributeNames }

    /// Attributes with commas between: what was typed up to the last comma stays.
    static let attributes = CompletionKind.custom { words, place, prefix in
        harmless(list(typed(words, place, prefix)))
    }

    /// A sort key, which a minus or `:desc` turns round.
    static let sortKey = CompletionKind.custom { words, place, prefix in
        let sign = typed(words, place, prefix).hasPrefix("-") ? "-" : ""
        return attributeNames.map { sign + $0 }
    }

    /// A predicate begins with an attribute.
    static let predicate = CompletionKind.custom { words, place, prefix in
        harmless(predicates(typed(words, place, prefix)))
    }

    /// Those of the words that a shell takes as they are, whatever it does with them. Zsh and fish expand nothing that is
    /// offered; any other shell is treated as bash.
    static func harmless(
        _ words: [String], isExpanded: Bool = ![.zsh, .fish].contains(CompletionShell.requesting)
    ) -> [String] { isExpanded ? words.filter { isPlain($0, and: ",") } : words }

    /// Whether a word is of letters, digits and `._-` of ASCII, and those given.
    private static func isPlain(_ word: String, and more: String = "") -> Bool {
        func isFine(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: "._-".utf8.contains(byte) || more.utf8.contains(byte)
            }
        }
        return word.utf8.allSatisfy(isFine)
    }

    static var attributeNames: [String] { Attribute.fixed.map(\.name).sorted() }

    /// What is typed of the word so far. Bash and zsh tell the part before the cursor, fish 3 only the word.
    private static func typed(_ words: [String], _ place: Int, _ prefix: String) -> String {
        prefix.isEmpty && words.indices.contains(place) ? words[place] : prefix
    }

    static func list(_ text: String) -> [String] {
        guard let comma = text.lastIndex(of: ",") else { return attributeNames }
        let head = text[...comma]
        let chosen = Set(head.split(separator: ",").map(String.init))
        return attributeNames.filter { !chosen.contains($0) }.map { head + $0 }
    }

    /// The name that is being typed, behind what is there: `size > 3 AND na` may go on with `name`.
    static func predicates(_ text: String) -> [String] {
        let isLetter = { (character: Character) in character.isASCII && (character.isLetter || character.isNumber) }
        let head = text[..<(text.lastIndex { !isLetter($0) }.map { text.index(after: $0) } ?? text.startIndex)]
        let begun = text[head.endIndex...]
        // Within a literal, and behind a number, no name begins.
        let inner = head.first == "\"" || head.first == "'" ? head.dropFirst() : head
        let quote: Character = head.first == "'" ? "\"" : "'"
        guard inner.count(where: { $0 == quote }).isMultiple(of: 2) else { return [] }
        return attributeNames.filter { $0.hasPrefix(begun) }.map { head + $0 }
    }

    // MARK: The daemon

    /// How long anybody waits.
    private static let patience = itimerval(
        it_interval: timeval(), it_value: timeval(tv_sec: 0, tv_usec: 500_000))

    private static func identifiers(
        _ words: [String], where isWanted: (ContainerStatus) -> Bool = { _ in true }
    ) -> [String] {
        // One that is stopped takes connections, and does not answer.
        signal(SIGALRM) { _ in _exit(0) }
        var patience = patience
        setitimer(__itimer_which_t(ITIMER_REAL.rawValue), &patience, nil)
        let daemon = connection(words)
        if isAsleep(daemon, LinuxFacts(connection: daemon)) { return [] }
        guard var client = try? daemon.connect(), let containers = try? client.containers() else {
            return []
        }
        return offered(containers.filter(isWanted).map(\.identifier))
    }

    /// Whether the daemon would have to be started for an answer: a finger on the tab key is no question.
    static func isAsleep(_ connection: Connection, _ facts: some SystemFacts) -> Bool {
        let isUser = connection.daemon.path == DaemonSocket.find(.user).path
        guard isUser || connection.daemon.path == DaemonSocket.find(.system).path else { return false }
        return UnitStates.isAsleep(UnitStates.read(facts, isUser: isUser, ["ActiveState"]))
    }

    /// The identifiers that a daemon may have: another may listen behind `--socket`, and say what it likes.
    static func offered(_ identifiers: [String]) -> [String] {
        identifiers.filter { isPlain($0) && !$0.hasPrefix("-") }
    }

    /// The daemon that the words on the line mean.
    static func connection(_ words: [String]) -> Connection {
        var connection = Connection()
        for (place, word) in words.enumerated() {
            switch word {
            case "--user": connection.choice = .user
            case "--system": connection.choice = .system
            case "--socket": connection.socket = words.indices.contains(place + 1) ? words[place + 1] : nil
            default: if word.hasPrefix("--socket=") { connection.socket = String(word.dropFirst("--socket=".count)) }
            }
        }
        return connection
    }
}
