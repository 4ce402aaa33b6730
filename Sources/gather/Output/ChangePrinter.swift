// A live query's notifications as lines.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import Glibc

/// Prints each notification as it comes: lines for people and pipes, or JSON objects.
struct ChangePrinter: ~Copyable {
    struct Settings: Sendable {
        var asJSON: Bool
        var nulTerminated: Bool
        /// The attributes in JSON objects.
        var attributes: [Attribute]
        /// Whether the query was given a clock.
        var isResuming: Bool
        /// Whether the first results are printed.
        var tellsResults = true
        var connection: Connection
        /// The machine whose name each line has; nil for one machine.
        var host: String?
    }

    private let settings: Settings
    private let isTerminal: Bool
    private let hasColor: Bool
    private var output: Output
    /// Whether progress notifications are the difference since a clock.
    private var isResumed = false

    private var asJSON: Bool { settings.asJSON }

    init(_ settings: Settings) {
        self.settings = settings
        isTerminal = Terminal.isTerminal() && !settings.nulTerminated
        hasColor = Terminal.hasColor() && isTerminal
        output = Output(nulTerminated: settings.nulTerminated)
    }

    mutating func print(_ notification: QueryNotification, of query: MetadataQuery) {
        switch notification {
        case .started(let resumed):
            isResumed = resumed
            if asJSON { event("started") { $0.add("resumed", resumed) } }
            if settings.isResuming, !resumed {
                Output.note("the changes since this clock are not known any more; all that matches is printed")
            }
        case .progress(let changes):
            if isResumed {
                print(changes)
            } else if settings.tellsResults {
                for item in changes.added { result(item) }
            }
        case .gathered:
            if asJSON {
                event("gathered") {
                    $0.add("count", query.resultCount)
                    $0.add("clock", query.clock?.rawValue)
                }
            }
            let name = settings.host.map { $0 + ":" } ?? ""
            Inexact.note(query.inexactContainers.map { ContainerIdentifier("\(name)\($0)") }, settings.connection)
        case .updated(let changes):
            print(changes)
            if asJSON { event("updated") { $0.add("clock", query.clock?.rawValue) } }
        case .reconnecting(let error):
            if asJSON { event("reconnecting") { $0.add("message", error.message) } }
            note("\(error.message); waiting for gatherd")
        case .reconnected(let resumed):
            if asJSON { event("reconnected") { $0.add("resumed", resumed) } }
            note("gatherd is back; the changes of the meantime follow")
        }
        output.flush()
    }

    // MARK: Changes

    private mutating func print(_ changes: QueryChanges) {
        // Removals come first: a name that goes from one item to another then ends with the item that has it.
        for removal in changes.removed { removed(removal) }
        for item in changes.changed { changed(item) }
        for item in changes.added { added(item) }
    }

    private mutating func result(_ item: MetadataItem) {
        if asJSON { return event("result", item) }
        line("  ", nil, [path(of: item)])
    }

    private mutating func added(_ item: MetadataItem) {
        if asJSON { return event("added", item) }
        line("+ ", .green, [path(of: item)])
    }

    private mutating func changed(_ item: MetadataItem) {
        if asJSON { return event("changed", item) }
        guard let previous = item.previousPathBytes else { return line("~ ", .yellow, [path(of: item)]) }
        line("~ ", .yellow, [named(previous), path(of: item)])
    }

    private mutating func removed(_ removal: RemovedItem) {
        if asJSON {
            return event("removed") {
                $0.add("id", removal.id.rawValue)
                $0.add("path", raw: "rawPath", removal.pathBytes)
            }
        }
        line("- ", .red, [named(removal.pathBytes)])
    }

    /// Says a sentence about the daemon, with the name of its machine if there are several.
    private func note(_ message: String) {
        Output.note(settings.host.map { HostReport.named(message, of: $0) } ?? message)
    }

    // MARK: Lines

    private func path(of item: MetadataItem) -> [UInt8] { named(item.pathBytes ?? []) }

    private func named(_ path: [UInt8]) -> [UInt8] { HostLines.path(path, of: settings.host) }

    private mutating func line(_ mark: String, _ color: Color?, _ paths: [[UInt8]]) {
        if isTerminal {
            let text = mark + paths.map { DisplayText.escaped($0) }.joined(separator: " -> ")
            output.line(color?.paint(text, if: hasColor) ?? text)
        } else {
            output.line(Array(mark.utf8) + Array(paths.joined(separator: " -> ".utf8)))
        }
    }

    private mutating func event(_ name: String, _ item: MetadataItem) {
        let attributes = settings.attributes
        event(name) { $0.add("item", item, attributes: attributes) }
    }

    private mutating func event(_ name: String, _ fields: (inout JSONLine) -> Void) {
        var line = JSONLine()
        line.add("event", name)
        fields(&line)
        let bytes = line.bytes()
        output.line(HostLines.named(settings.host, bytes))
    }
}
