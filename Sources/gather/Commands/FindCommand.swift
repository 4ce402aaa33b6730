// gather find: the items that match now.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherKit
internal import Glibc

struct FindCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "find",
        abstract: "Print the paths of the items that match now.",
        usage: "gather find [<options>] <predicate>",
        discussion: """
            The answer reflects every change made before the question. A pipe gets one path a line, or with --attributes \
            their values with tabs between. A terminal gets columns. If names may hold line ends, use -0.

            A word is a part of the name. The options -e, -t, -S, -g, -H, --changed-within and --changed-before are those of \
            fd, and a predicate must hold as well. 'gather explain' with the same arguments prints the predicate that they make.

            EXAMPLES
              gather find report
              gather find -g 'img_[0-9]*.{jpg,png}'
              gather find "name LIKE 'Item_*'"
              gather find -e pdf -t f report
              gather find --size +10M --changed-within 7d
              gather find "ANY tags == 'urgent'" --container grocery
              gather find "size > 1MB AND kind == 'file'" --sort -size --limit 10
              gather find "name ENDSWITH '.log'" --in /srv/www -0 | xargs -0 gzip
              gather find "" --in . --attributes path,size,modified
              gather find "name ENDSWITH[c] '.jpg'" --json | jq .size
              if gather find "name == 'STOP'" --quiet; then exit; fi
              gather -H attic -H cellar find -e iso --sort -size
              gather find "size > 1MB" --embedded --in .    without a daemon
            """)

    @OptionGroup var question: QuestionOptions
    @OptionGroup var places: ScopeOptions

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Sort by this attribute; -KEY and KEY:desc sort in descending order. May be repeated.",
            valueName: "key"), completion: Completions.sortKey, transform: { try SortArgument($0) })
    var sort: [SortArgument] = []

    @Option(help: ArgumentHelp("Print this many at most.", valueName: "n"))
    var limit: Int?

    @Option(
        name: .customLong("attributes"),
        help: ArgumentHelp("Print these attributes: a,b,c. May be repeated.", valueName: "names"),
        completion: Completions.attributes, transform: { try AttributeList($0) })
    var attributeLists: [AttributeList] = []

    /// The attributes of all lists; nil without `--attributes`.
    var attributes: AttributeList? { AttributeList(attributeLists) }

    @Flag(help: "Print one JSON object a line.")
    var json = false

    @Flag(name: [.customShort("0"), .customLong("null")], help: "End each line with NUL in place of a line end.")
    var nulTerminated = false

    @Flag(help: "Print only how many match.")
    var count = false

    @Flag(help: "Print nothing; the status is 1 if nothing matches.")
    var quiet = false

    @Flag(name: .customLong("no-sync"), help: "Answer at once with what is known, while containers are being read.")
    var withoutSync = false

    @OptionGroup var exactness: ExactnessOptions
    @OptionGroup var hosts: HostOptions
    @OptionGroup var daemon: ConnectionOptions
    @OptionGroup var embedding: EmbeddedOptions

    mutating func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit wants a number above 0.") }
        if count, quiet || json || attributes != nil {
            throw ValidationError("--count prints a number; it does not go with --quiet, --json or --attributes.")
        }
        if quiet, json || attributes != nil {
            throw ValidationError("--quiet prints nothing; it does not go with --json or --attributes.")
        }
    }

    mutating func run() throws {
        let connections = try hosts.connections(
            daemon, embedding, places, freshness: withoutSync ? .asKnown : .afterFlush)
        if connections.count > 1 { return try run(connections) }
        let connection = connections[0]
        let asked = try question.question("gather find\(connection.words)")
        let scopes = try places.scopes(connection)
        if !withoutSync { try connection.showProgress(scopes) }
        var search = Search(
            predicate: asked.predicate, scopes: scopes, sort: sort.map(\.key), limit: quiet ? 1 : limit,
            freshness: withoutSync ? .asKnown : .afterFlush, timeout: connection.patience)
        if isPlain {
            return try PlainFind(
                search: search, nulTerminated: nulTerminated, connection: connection, question: asked,
                exactness: exactness
            ).run()
        }
        var client = try connection.connect()
        let summary: BlockingClient.Summary
        do {
            summary = try answer(&search, &client)
        } catch let error as GatherError {
            throw exactness.failure(Failure(error, command: asked.command, predicate: asked.predicate))
        }
        try exactness.check(summary.inexactContainers, connection)
        guard summary.count == 0 else { return }
        if quiet { throw ExitCode(ExitStatus.failure) }
        EmptyAnswer.note(asked, &client, scopes, connection)
    }

    /// Asks several machines.
    private func run(_ connections: [Connection]) throws {
        let asked = try question.question("gather find\(connections[0].words)")
        if count { return try HostCount(connections: connections, places: places).run(asked, search(asked), exactness) }
        var search = search(asked)
        let isTable = Terminal.isTerminal() && !nulTerminated && !json && !quiet
        let shown =
            attributes?.attributes ?? (json ? search.attributes : isTable ? [.size, .modified, .path] : [.path])
        let needed = sort.map(\.key.attribute) + (isTable ? [.kind] : [])
        search.attributes = shown + Set(needed).subtracting(shown)
        let lines = HostLines(
            form: json ? .json : attributes == nil && !isTable ? .paths : .tabs, attributes: shown)
        let limit = search.limit ?? .max
        let find = HostFind(
            connections: connections, searches: try HostFind.searches(search, connections, places),
            printer: HostPrinter(lines, nulTerminated: nulTerminated, isQuiet: quiet, limit: limit),
            isQuiet: quiet, requiresExact: exactness.requireExact,
            failure: { Failure($0, command: asked.command, predicate: asked.predicate) })
        Task { await find.follow() }
        Output.waitUntilNobodyReads()
    }

    private func search(_ asked: AskedQuestion) -> Search {
        Search(
            predicate: asked.predicate, sort: sort.map(\.key), limit: quiet ? 1 : limit,
            freshness: withoutSync ? .asKnown : .afterFlush)
    }

    /// Whether the output is paths alone, for a program.
    private var isPlain: Bool {
        !count && !quiet && !json && attributes == nil && (nulTerminated || !Terminal.isTerminal())
    }

    private func answer(
        _ search: inout Search, _ client: inout BlockingClient
    ) throws -> BlockingClient.Summary {
        var output = Output(nulTerminated: nulTerminated)
        if quiet { return try client.findPaths(search, { _ in }, finishBatch: {}) }
        if count {
            let result = try client.count(search)
            output.line(String(min(result.count, limit ?? .max)))
            output.flush()
            var summary = BlockingClient.Summary()
            summary.count = result.count
            summary.inexactContainers = result.inexactContainers
            return summary
        }
        if let attributes { search.attributes = attributes.attributes }
        if json {
            return try client.find(search) { items in
                for item in items { output.line(item.json) }
                output.flush()
            }
        }
        if Terminal.isTerminal(), !nulTerminated {
            if attributes == nil { search.attributes = [.size, .modified, .path] }
            let columns = search.attributes
            search.attributes += columns.contains(.kind) ? [] : [.kind]
            var table = Table(header: columns.map { (name: $0.name, alignsRight: ItemColumns.alignsRight($0)) })
            let summary = try client.find(search) { items in
                for item in items { table.add(ItemColumns.row(columns, of: item)) }
            }
            for line in table.lines(color: Terminal.hasColor(), width: Terminal.width) { output.line(line) }
            output.flush()
            return summary
        }
        let attributes = search.attributes
        return try client.find(search) { items in
            for item in items { output.line(ItemColumns.tabSeparated(attributes, of: item)) }
            output.flush()
        }
    }
}

/// Attributes of items as columns.
enum ItemColumns {
    static func row(_ attributes: [Attribute], of item: MetadataItem) -> [Table.Cell] {
        attributes.map { attribute in
            let text = Readable.value(attribute, of: item)
            return switch attribute {
            case .path, .name: Table.Cell(text, color(of: item.kind))
            case .created, .modified, .changed: Table.Cell(text, .dim)
            default: Table.Cell(text, alignsRight: alignsRight(attribute))
            }
        }
    }

    /// Whether the values of an attribute are aligned to the right.
    static func alignsRight(_ attribute: Attribute) -> Bool { attribute.type == .integer }

    static func tabSeparated(_ attributes: [Attribute], of item: MetadataItem) -> [UInt8] {
        Array(attributes.map { Readable.bytes($0, of: item) }.joined(separator: [UInt8(ascii: "\t")]))
    }

    /// The colours of `ls`.
    static func color(of kind: FileKind?) -> Color? {
        switch kind {
        case .directory, .package: .blue
        case .symlink: .cyan
        case .fifo, .socket, .characterDevice, .blockDevice: .yellow
        case .file, nil: nil
        }
    }
}

/// The remark on an answer that may be wrong.
enum Inexact {
    static func note(_ containers: [ContainerIdentifier], _ connection: Connection) {
        guard !containers.isEmpty else { return }
        // An engine within this command has reported the reason already.
        let hint = connection.embedded == nil ? " ('gather status' tells the reason)" : ""
        Output.note("the answer may be wrong for: \(containers.map(\.rawValue).joined(separator: ", "))\(hint)")
    }
}
