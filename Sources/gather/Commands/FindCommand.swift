// gather find: what matches now.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherKit
internal import Glibc

struct FindCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "find",
        abstract: "Print the paths of what matches now.",
        discussion: """
            The answer reflects every change made before the question. A pipe gets one path a line, or with --attributes \
            their values with tabs between; a terminal gets columns. A name that holds line ends wants -0.

            EXAMPLES
              gather find "name LIKE 'Item_*'"
              gather find "ANY tags == 'urgent'" --container grocery --scope documents
              gather find "size > 1000000 AND kind == 'file'" --sort -size --limit 10
              gather find "name ENDSWITH '.log'" --in /srv/www -0 | xargs -0 gzip
              gather find "" --in . --attributes path,size,modified
              gather find "name ENDSWITH[c] '.jpg'" --json | jq .size
              if gather find "name == 'STOP'" --quiet; then exit; fi
              gather find "size > 1000000" --embedded --in .   try it without installing anything
            """)

    @Argument(help: "What has to be true of an item; '' is true of all.", completion: Completions.predicate)
    var predicate: String

    @OptionGroup var places: ScopeOptions

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Sort by this attribute; -KEY or KEY:desc turns the order round. May be repeated, the first counting most.",
            valueName: "key"), completion: Completions.sortKey)
    var sort: [SortArgument] = []

    @Option(help: ArgumentHelp("Print this many at most.", valueName: "n"))
    var limit: Int?

    @Option(
        help: ArgumentHelp("Print these attributes: a,b,c.", valueName: "names"), completion: Completions.attributes)
    var attributes: AttributeList?

    @Flag(help: "Print one JSON object a line.")
    var json = false

    @Flag(name: [.customShort("0"), .customLong("null")], help: "End each line with NUL in place of a line end.")
    var nulTerminated = false

    @Flag(help: "Print only how many match.")
    var count = false

    @Flag(help: "Print nothing; the status is 1 where nothing matches.")
    var quiet = false

    @Flag(name: .customLong("no-sync"), help: "Take what is known at once, without waiting for what is being read.")
    var withoutSync = false

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
        let connection = try embedding.connection(daemon, places, isSynchronized: !withoutSync)
        let scopes = try places.scopes(connection)
        if !withoutSync { connection.showProgress(scopes) }
        if isPlain {
            let search = Search(
                predicate: predicate, scopes: scopes, sort: sort.map(\.key), limit: limit, isSynchronized: !withoutSync,
                timeout: connection.patience)
            return try PlainFind(search: search, nulTerminated: nulTerminated, connection: connection).run()
        }
        var search = Search(
            predicate: predicate, scopes: scopes, sort: sort.map(\.key), limit: quiet ? 1 : limit,
            isSynchronized: !withoutSync, timeout: connection.patience)
        var client = try connection.connect()
        let summary: BlockingClient.Summary
        do {
            summary = try answer(&search, &client)
        } catch let error as GatherError {
            throw Failure(error, command: "gather find\(connection.words)", predicate: predicate)
        }
        Inexact.note(summary.inexactContainers, connection)
        guard summary.count == 0 else { return }
        NoContainers.note(ifNoneIn: &client, scopes, connection)
        if quiet { throw ExitCode(ExitStatus.failure) }
    }

    /// Whether nothing is wanted but paths, for a program.
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
            var table = Table()
            let summary = try client.find(search) { items in
                for item in items { table.add(ItemColumns.row(columns, of: item)) }
            }
            for line in table.lines(color: Terminal.hasColor()) { output.line(line) }
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

/// An item's attributes side by side.
enum ItemColumns {
    static func row(_ attributes: [Attribute], of item: MetadataItem) -> [Table.Cell] {
        attributes.map { attribute in
            let text = Readable.value(attribute, of: item)
            return switch attribute {
            case .path, .name: Table.Cell(text, color(of: item.kind))
            case .created, .modified, .changed: Table.Cell(text, .dim)
            default: Table.Cell(text, alignsRight: attribute.type == .integer)
            }
        }
    }

    static func tabSeparated(_ attributes: [Attribute], of item: MetadataItem) -> [UInt8] {
        Array(attributes.map { Readable.bytes($0, of: item) }.joined(separator: [UInt8(ascii: "\t")]))
    }

    /// As `ls` paints them.
    static func color(of kind: FileKind?) -> Color? {
        switch kind {
        case .directory, .package: .blue
        case .symlink: .cyan
        case .fifo, .socket, .characterDevice, .blockDevice: .yellow
        case .file, nil: nil
        }
    }
}

/// What is said where an answer may be wrong.
enum Inexact {
    static func note(_ containers: [String], _ connection: Connection) {
        guard !containers.isEmpty else { return }
        // What is wrong within this command it has said itself.
        let hint = connection.embedded == nil ? " ('gather status' says why)" : ""
        Output.note("the answer may be wrong for: \(containers.joined(separator: ", "))\(hint)")
    }
}
