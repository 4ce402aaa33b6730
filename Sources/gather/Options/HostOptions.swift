// The choice of other machines.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherKit
internal import Glibc

/// `--host` and `--hosts-from`: daemons of other machines, which are reached through ssh.
struct HostOptions: ParsableArguments {
    /// The most machines that one command asks. Each has a process of ssh.
    static let most = 256
    /// The most bytes of a file with names.
    private static let fileBytes = 1 << 20

    @Option(
        name: .customLong("host"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Ask the daemon of this machine through ssh. May be repeated. Before the command also -H.",
            valueName: "[user@]host"),
        completion: .list([]))
    var hosts: [String] = []

    @Option(
        name: .customLong("hosts-from"),
        help: ArgumentHelp(
            "Ask the machines that this file names, one a line; - is standard input.", valueName: "file"),
        completion: .file())
    var file: String?

    /// Returns the connections to the machines; none if no machine was named.
    func connections(_ daemon: ConnectionOptions) throws(Failure) -> [Connection] {
        var names = hosts
        if let file {
            names += try HostOptions.names(in: file)
            guard !names.isEmpty else {
                throw Failure(status: ExitStatus.usage, "\(DisplayText.escaped(file)) names no machine")
            }
        }
        var remotes: [RemoteHost] = []
        var known: Set<RemoteHost> = []
        for name in names {
            guard let host = RemoteHost(name) else {
                throw Failure(
                    status: ExitStatus.usage,
                    "'\(DisplayText.escaped(name))' is no machine; a machine is [USER@]HOST[:PORT]")
            }
            if known.insert(host).inserted { remotes.append(host) }
        }
        guard remotes.count <= HostOptions.most else {
            throw Failure(
                status: ExitStatus.usage,
                "\(remotes.count) machines are named, and one command asks at most \(HostOptions.most)")
        }
        return remotes.map { host in
            var connection = daemon.target
            connection.host = host
            connection.isOneOfSeveral = remotes.count > 1
            return connection
        }
    }

    /// Returns the connection of a command that asks one daemon.
    func connection(_ daemon: ConnectionOptions) throws(Failure) -> Connection {
        let connections = try connections(daemon)
        guard connections.count <= 1 else {
            throw Failure(status: ExitStatus.usage, "this command asks one machine, and several are named")
        }
        return connections.first ?? daemon.target
    }

    /// Returns the connections of a command that can also read directories itself.
    func connections(
        _ daemon: ConnectionOptions, _ embedding: EmbeddedOptions, _ places: ScopeOptions, watches: Bool = false,
        freshness: Freshness = .afterFlush
    ) throws(Failure) -> [Connection] {
        let remote = try connections(daemon)
        if remote.isEmpty {
            return [
                try embedding.connection(daemon, places, watches: watches, freshness: freshness)
            ]
        }
        guard !embedding.embedded else {
            throw Failure(status: ExitStatus.usage, "--embedded asks no daemon: it does not go with --host")
        }
        return remote
    }

    /// Returns the names in a file: the first word of each line, without empty lines, those that begin with `#`, and headings.
    private static func names(in path: String) throws(Failure) -> [String] {
        let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw Failure(
                status: ExitStatus.usage, "\(DisplayText.escaped(path)): \(String(cString: strerror(errno)))")
        }
        defer { if path != "-" { close(descriptor) } }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw Failure(
                    status: ExitStatus.usage, "\(DisplayText.escaped(path)): \(String(cString: strerror(errno)))")
            }
            if count == 0 { break }
            bytes += piece[..<count]
            guard bytes.count <= fileBytes else {
                throw Failure(
                    status: ExitStatus.usage,
                    "\(DisplayText.escaped(path)) has more than \(Readable.size(Int64(fileBytes)))")
            }
        }
        // Editors on Windows begin a file with a byte order mark.
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        let words = String(decoding: text, as: UTF8.self).split(whereSeparator: \.isNewline)
            .compactMap { $0.split(whereSeparator: \.isWhitespace).first }
            .filter { !$0.hasPrefix("#") }.map { String($0) }
        return withoutHeadings(words)
    }

    /// Returns the names without the headings of an Ansible inventory, such as `[web]`. Sections with a colon in their heading, such as
    /// `[web:vars]`, have variables or names of groups, and no machine. An address in brackets is no heading.
    private static func withoutHeadings(_ words: [String]) -> [String] {
        var hasMachines = true
        return words.filter { word in
            guard word.hasPrefix("["), word.hasSuffix("]"), RemoteHost(word) == nil else { return hasMachines }
            hasMachines = !word.contains(":")
            return false
        }
    }
}
