// gather conflicts: the versions in conflict, now or live, and their resolution.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherDocuments
internal import GatherKit

struct ConflictsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conflicts",
        abstract: "List versions in conflict, and resolve them.",
        discussion: """
            If two machines or programs save one file independently, one version stays current. The other lies beside it as \
            NAME.sync-conflict-DATE-TIME-DEVICE.EXT, as Syncthing names such files. 'gather conflicts' lists them, and \
            'gather conflicts resolve' keeps one version or all.

            EXAMPLES
              gather conflicts
              gather conflicts --in ~/Sync --watch
              gather conflicts resolve notes.txt
              gather conflicts resolve notes.txt --keep newest
              gather conflicts resolve notes.txt --tool meld
              gather conflicts resolve *.txt --identical
            """,
        subcommands: [ConflictsListCommand.self, ConflictsResolveCommand.self],
        defaultSubcommand: ConflictsListCommand.self)
}

struct ConflictsListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List versions in conflict (the default).",
        usage: "gather conflicts list [<options>]",
        discussion: """
            A pipe gets the path of one version a line. A terminal gets columns: the device that wrote the version, its size \
            and time, and its path. With --watch, the lines are those of 'gather watch'.

            EXAMPLES
              gather conflicts
              gather conflicts --container notes --json
              gather conflicts --watch
              gather conflicts --embedded --in ~/Sync    without a daemon
            """)

    static let predicate = "isConflictVersion == TRUE"

    @OptionGroup var places: ScopeOptions

    @Flag(help: "Print the versions that there are, then each change, until Ctrl-C.")
    var watch = false

    @Flag(help: "Print the files that have versions in conflict, once each.")
    var originals = false

    @Flag(help: "Print one JSON object a line.")
    var json = false

    @Flag(name: [.customShort("0"), .customLong("null")], help: "End each line with NUL in place of a line end.")
    var nulTerminated = false

    @OptionGroup var hosts: HostOptions
    @OptionGroup var daemon: ConnectionOptions
    @OptionGroup var embedding: EmbeddedOptions

    mutating func validate() throws {
        if watch, originals { throw ValidationError("--originals does not go with --watch.") }
    }

    mutating func run() throws {
        if watch {
            var command = try WatchCommand.parse([Self.predicate] + watchArguments)
            return try command.run()
        }
        let connections = try hosts.connections(daemon, embedding, places)
        if connections.count > 1 { return try run(connections) }
        let connection = connections[0]
        let scopes = try places.scopes(connection)
        connection.learnContainers()
        try connection.showProgress(scopes)
        var client = try connection.connect()
        var versions: [ConflictLine] = []
        do {
            let search = Search(
                predicate: Self.predicate, scopes: scopes, attributes: ConflictLine.attributes(connection), sort: [],
                timeout: connection.patience)
            let summary = try client.find(search) { items in
                versions += items.compactMap { ConflictLine($0, connection) }
            }
            Inexact.note(summary.inexactContainers, connection)
        } catch let error as GatherError {
            throw Failure(error)
        }
        versions.sort()
        print(versions)
        guard versions.isEmpty, Terminal.isTerminal(), !json else { return }
        if !NoContainers.note(ifNoneIn: &client, scopes, connection) { Output.note("there are no conflicts") }
    }

    /// Asks several machines.
    private func run(_ connections: [Connection]) throws {
        let search = Search(predicate: Self.predicate, attributes: ConflictLine.attributes(connections[0]))
        let searches = try HostFind.searches(search, connections, places)
        let ask = { @Sendable (client: inout BlockingClient, number: Int) in
            var versions: [ConflictLine] = []
            let summary = try client.find(searches[number]) { items in
                versions += items.compactMap { ConflictLine($0, connections[number]) }
            }
            versions.sort()
            return (versions: versions, inexact: summary.inexactContainers)
        }
        var results = HostAnswers(
            connections, ask: ask, print: { answers in print(answers.flatMap(\.answer.versions)) })
        for (host, answer) in results.answers { results.report.add(inexact: answer.inexact, of: host) }
        try results.finish()
    }

    private func print(_ versions: [ConflictLine]) {
        var output = Output(nulTerminated: nulTerminated)
        if originals {
            var last: [UInt8]?
            for version in versions where version.named(version.originalBytes) != last {
                last = version.named(version.originalBytes)
                output.line(version.named(version.originalBytes))
            }
        } else if json {
            for version in versions {
                output.line(HostLines.named(version.host, version.json))
            }
        } else if Terminal.isTerminal(), !nulTerminated {
            var table = Table(header: [("author", false), ("size", true), ("modified", false), ("path", false)])
            for version in versions { table.add(version.row) }
            for line in table.lines(color: Terminal.hasColor(), width: Terminal.width) { output.line(line) }
        } else {
            for version in versions { output.line(version.named(version.path)) }
        }
        output.flush()
    }

    /// The options of this command in the words of `gather watch`.
    private var watchArguments: [String] {
        var arguments = places.container.flatMap { ["--container", $0] } + places.directories.flatMap { ["--in", $0] }
        if let scope = places.scope { arguments += ["--scope", scope.rawValue] }
        if let socket = daemon.socket { arguments += ["--socket", socket] }
        if daemon.user { arguments.append("--user") }
        if daemon.system { arguments.append("--system") }
        if json { arguments.append("--json") }
        if nulTerminated { arguments.append("--null") }
        if embedding.embedded { arguments.append("--embedded") }
        arguments += hosts.hosts.flatMap { ["--host", $0] } + (hosts.file.map { ["--hosts-from", $0] } ?? [])
        return arguments
    }
}

/// A version in conflict, as it is listed.
struct ConflictLine: Comparable {
    private static let authorName = ExtendedAttributeName("gather.device")

    /// The attributes that a daemon is asked for. Files of this machine are read for their author.
    static func attributes(_ connection: Connection) -> [Attribute] {
        let author = connection.host == nil ? nil : authorName.map { Attribute.extended($0) }
        return [.path, .size, .modified, .conflictOf, .conflictDevice] + (author.map { [$0] } ?? [])
    }

    /// The machine that has the version; nil unless there are several.
    let host: String?
    let path: [UInt8]
    let originalBytes: [UInt8]
    let size: Int64
    let modified: Timestamp?
    /// The device that wrote the version, as the file says; nil if this user cannot read that.
    let author: DeviceIdentifier?
    /// The device in the name: the one whose version is current. Empty if the name has none.
    let device: String

    init?(_ item: MetadataItem, _ connection: Connection) {
        guard let path = item.pathBytes, let slash = path.lastIndex(of: UInt8(ascii: "/")),
            let name = ConflictName(path[(slash + 1)...])
        else { return nil }
        self.path = path
        originalBytes = path[...slash] + name.original
        size = item.size ?? 0
        modified = item.modified
        host = connection.isOneOfSeveral ? connection.hostName : nil
        if connection.host == nil {
            author = FileVersion.author(of: FilePath(bytes: path))
        } else {
            let value = Self.authorName.flatMap { item.extendedAttributes?[$0.text] }
            author = value.flatMap { DeviceIdentifier(attributeValue: $0.utf8) }
        }
        device = name.device
    }

    /// By the bytes of the file's path and then of the version's.
    static func < (one: ConflictLine, other: ConflictLine) -> Bool {
        one.originalBytes == other.originalBytes
            ? one.path.lexicographicallyPrecedes(other.path)
            : one.originalBytes.lexicographicallyPrecedes(other.originalBytes)
    }

    /// Returns a path with the name of the machine, if there are several.
    func named(_ path: [UInt8]) -> [UInt8] { HostLines.path(path, of: host) }

    var row: [Table.Cell] {
        [
            Table.Cell(author.map { DisplayText.escaped($0.name) } ?? "unknown", author == nil ? .dim : nil),
            Table.Cell(Readable.size(size), alignsRight: true),
            Table.Cell(modified.map { Readable.time($0) } ?? "", .dim),
            Table.Cell(DisplayText.escaped(named(path))),
        ]
    }

    var json: [UInt8] {
        var line = JSONLine()
        line.add("path", raw: "rawPath", path)
        line.add("conflictOf", raw: "rawConflictOf", originalBytes)
        line.add("size", Int(size))
        line.add("modified", modified?.rfc3339)
        line.add("author", author?.text)
        line.add("authorName", author?.name)
        line.add("conflictDevice", device.isEmpty ? nil : device)
        return line.bytes()
    }
}
