// A live query's notifications as lines.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import Glibc

/// Prints notifications, each as soon as it is there: lines for people and pipes, or JSON objects.
struct ChangePrinter: ~Copyable {
    private let asJSON: Bool
    private let attributes: [Attribute]
    private let isResuming: Bool
    private let connection: Connection
    private let isTerminal: Bool
    private let hasColor: Bool
    private var output: Output
    /// Whether what comes as progress is a difference.
    private var isResumed = false

    init(asJSON: Bool, nulTerminated: Bool, attributes: [Attribute], isResuming: Bool, connection: Connection) {
        self.asJSON = asJSON
        self.attributes = attributes
        self.isResuming = isResuming
        self.connection = connection
        isTerminal = Terminal.isTerminal() && !nulTerminated
        hasColor = Terminal.hasColor() && isTerminal
        output = Output(nulTerminated: nulTerminated)
    }

    mutating func print(_ notification: QueryNotification, of query: MetadataQuery) {
        switch notification {
        case .started(let resumed):
            isResumed = resumed
            if asJSON { event("started") { $0.add("resumed", resumed) } }
            if isResuming, !resumed { Output.note("that clock is no longer known; everything is told anew") }
        case .progress(let changes):
            if isResumed { print(changes) } else { for item in changes.added { result(item) } }
        case .gathered:
            if asJSON {
                event("gathered") {
                    $0.add("count", query.resultCount)
                    $0.add("clock", query.clock)
                }
            }
            Inexact.note(query.inexactContainers, connection)
        case .updated(let changes):
            print(changes)
            if asJSON { event("updated") { $0.add("clock", query.clock) } }
        case .reconnecting(let error):
            if asJSON { event("reconnecting") { $0.add("message", error.message) } }
            Output.note("\(error.message); waiting for it to come back")
        case .reconnected(let resumed):
            if asJSON { event("reconnected") { $0.add("resumed", resumed) } }
            Output.note("gatherd is back; what changed meanwhile follows")
        }
        output.flush()
    }

    // MARK: Changes

    private mutating func print(_ changes: QueryChanges) {
        // Removals first, so that a name that moved from one item to another reads in the order it happened.
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
        guard let previous = item.previousPath else { return line("~ ", .yellow, [path(of: item)]) }
        line("~ ", .yellow, [Array(previous.utf8), path(of: item)])
    }

    private mutating func removed(_ removal: RemovedItem) {
        if asJSON {
            return event("removed") {
                $0.add("id", removal.id)
                $0.add("path", removal.path)
                if !removal.pathBytes.elementsEqual(removal.path.utf8) { $0.add("rawPath", base64: removal.pathBytes) }
            }
        }
        line("- ", .red, [removal.pathBytes])
    }

    // MARK: Lines

    private func path(of item: MetadataItem) -> [UInt8] { item.pathBytes ?? [] }

    private mutating func line(_ mark: String, _ color: Color?, _ paths: [[UInt8]]) {
        if isTerminal {
            let text = mark + paths.map { DisplayText.escaped($0) }.joined(separator: " -> ")
            output.line(color?.paint(text, if: hasColor) ?? text)
        } else {
            output.line(Array(mark.utf8) + Array(paths.joined(separator: " -> ".utf8)))
        }
    }

    private mutating func event(_ name: String, _ item: MetadataItem) {
        let attributes = attributes
        event(name) { $0.add("item", item, attributes: attributes) }
    }

    private mutating func event(_ name: String, _ fields: (inout JSONLine) -> Void) {
        var line = JSONLine()
        line.add("event", name)
        fields(&line)
        output.line(line.bytes())
    }
}
