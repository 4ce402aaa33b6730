// Words for completion in shells: identifiers of containers, and attributes.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherKit
internal import Glibc

/// Words that shells offer (`gather --generate-completion-script`). If something fails or takes long, nothing is offered and
/// nothing is printed, because the user waits at the prompt.
///
/// Bash's script hands the words to `compgen -W`, which expands them: a `$(…)` that was only typed would run if it were
/// offered back. So bash is offered only words without special characters.
enum Completions {
    /// Identifiers of containers.
    static let containers = CompletionKind.custom { words, _, _ in identifiers(words) }

    /// Identifiers of containers that were added at run time: only these can be removed.
    static let removable = CompletionKind.custom { words, _, _ in identifiers(words) { $0.origin == "runtime" } }

    /// Identifiers of containers that are shared.
    static let shared = CompletionKind.custom { words, _, _ in identifiers(words) { $0.sync != nil } }

    /// Devices: their names, and the first group of their identifiers for those without a plain name.
    static let devices = CompletionKind.custom { words, _, _ in deviceWords(sharing(words)?.devices ?? []) }

    /// Containers that other devices offer.
    static let offers = CompletionKind.custom { words, _, _ in
        offered(Set((sharing(words)?.offers ?? []).map(\.container.rawValue)).sorted())
    }

    /// One attribute.
    static let attribute = CompletionKind.custom { _, _, _ in attributeNames }

    /// Attributes with commas between. The text up to the last comma stays.
    static let attributes = CompletionKind.custom { words, place, prefix in
        let typed = typed(words, place, prefix)
        return harmless(forShell(list(typed), typed))
    }

    /// A sort key. A minus in front stays.
    static let sortKey = CompletionKind.custom { words, place, prefix in
        let sign = typed(words, place, prefix).hasPrefix("-") ? "-" : ""
        return attributeNames.map { sign + $0 }
    }

    /// A predicate: an attribute at its beginning, or the attribute that is being typed within it.
    static let predicate = CompletionKind.custom { words, place, prefix in
        let typed = typed(words, place, prefix)
        return harmless(forShell(predicates(typed), typed))
    }

    /// Returns the words that the shell does not expand. Zsh and fish expand none; any other shell is treated as bash.
    static func harmless(
        _ words: [String], isExpanded: Bool = ![.zsh, .fish].contains(CompletionShell.requesting)
    ) -> [String] { isExpanded ? words.filter { isPlain($0, and: ",") } : words }

    /// Returns the words as the shell matches them. Zsh passes a quote at the beginning of the word, matches without it, and
    /// takes what follows a colon for a description.
    static func forShell(
        _ words: [String], _ typed: String, isZsh: Bool = CompletionShell.requesting == .zsh
    ) -> [String] {
        guard isZsh else { return words }
        let isQuoted = typed.hasPrefix("\"") || typed.hasPrefix("'")
        return words.map { (isQuoted ? String($0.dropFirst()) : $0).replacing(":", with: "\\:") }
    }

    /// Whether a word has only ASCII letters, digits, `._-` and the characters of `more`.
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

    /// The word up to the cursor. Bash and zsh pass the part before the cursor, fish 3 only the word. Within a quote that is
    /// still open, the script for zsh counts from the last blank, so the whole word is taken.
    static func typed(
        _ words: [String], _ place: Int, _ prefix: String, isZsh: Bool = CompletionShell.requesting == .zsh
    ) -> String {
        guard words.indices.contains(place) else { return prefix }
        let isQuoted = words[place].hasPrefix("\"") || words[place].hasPrefix("'")
        return prefix.isEmpty || (isZsh && isQuoted) ? words[place] : prefix
    }

    static func list(_ text: String) -> [String] {
        guard let comma = text.lastIndex(of: ",") else { return attributeNames }
        let head = text[...comma]
        let chosen = Set(head.split(separator: ",").map(String.init))
        return attributeNames.filter { !chosen.contains($0) }.map { head + $0 }
    }

    /// Returns the ways to complete the attribute at the end of a predicate: `size > 3 AND na` may go on with `name`.
    static func predicates(_ text: String) -> [String] {
        // Options are offered by the shell; `-name` is none.
        guard !text.hasPrefix("-") else { return [] }
        let isLetter = { (character: Character) in character.isASCII && (character.isLetter || character.isNumber) }
        let head = text[..<(text.lastIndex { !isLetter($0) }.map { text.index(after: $0) } ?? text.startIndex)]
        let begun = text[head.endIndex...]
        // No name begins within a literal or behind a number.
        let inner = head.first == "\"" || head.first == "'" ? head.dropFirst() : head
        let quote: Character = head.first == "'" ? "\"" : "'"
        guard inner.count(where: { $0 == quote }).isMultiple(of: 2) else { return [] }
        return attributeNames.filter { $0.hasPrefix(begun) }.map { head + $0 }
    }

    // MARK: The daemon

    /// The time limit for asking the daemon.
    private static let patience = itimerval(
        it_interval: timeval(), it_value: timeval(tv_sec: 0, tv_usec: 500_000))

    /// Ends the process when the time is over. A daemon that is stopped accepts connections and does not answer.
    private static func limitTime() {
        signal(SIGALRM) { _ in _exit(0) }
        var patience = patience
        setitimer(__itimer_which_t(ITIMER_REAL.rawValue), &patience, nil)
    }

    private static func identifiers(
        _ words: [String], where isWanted: (ContainerStatus) -> Bool = { _ in true }
    ) -> [String] {
        limitTime()
        let daemon = connection(words)
        if isAsleep(daemon, LinuxFacts(connection: daemon)) { return [] }
        guard var client = try? daemon.connect(), let containers = try? client.containers() else {
            return []
        }
        return offered(containers.filter(isWanted).map(\.identifier.rawValue))
    }

    /// Whether systemd would start the daemon for a connection. Completion does not start it.
    static func isAsleep(_ connection: Connection, _ facts: some SystemFacts) -> Bool {
        let isUser = connection.daemon.path == DaemonSocket.find(.user).path
        guard isUser || connection.daemon.path == DaemonSocket.find(.system).path else { return false }
        return UnitStates.isAsleep(UnitStates.read(facts, isUser: isUser, ["ActiveState"]))
    }

    /// Returns the identifiers that are well formed: any program may listen at the path of `--socket`.
    static func offered(_ identifiers: [String]) -> [String] {
        identifiers.filter { isPlain($0) && !$0.hasPrefix("-") }
    }

    /// Returns the state of sharing; nil if the helper cannot be asked.
    private static func sharing(_ words: [String]) -> SharingStatus? {
        limitTime()
        guard var client = try? BlockingSharingClient(helper(words)) else { return nil }
        return try? client.status()
    }

    /// Returns the words for devices other than this one.
    static func deviceWords(_ devices: [SharingDevice]) -> [String] {
        offered(
            devices.filter { !$0.isHere }.map { device in
                device.name.isEmpty || offered([device.name]).isEmpty ? device.shortIdentifier : device.name
            }
        ).sorted()
    }

    /// The helper that the options on the line choose.
    static func helper(_ words: [String]) -> SharingSocket {
        for (place, word) in words.enumerated() {
            if word == "--sync-socket", words.indices.contains(place + 1) {
                return SharingSocket(path: words[place + 1])
            }
            if word.hasPrefix("--sync-socket=") {
                return SharingSocket(path: String(word.dropFirst("--sync-socket=".count)))
            }
        }
        return .find(connection(words).choice)
    }

    /// The daemon that the options on the line choose.
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
