// Printing the items of several machines.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import Synchronization

/// Prints the items of several machines as lines, or as a table on a terminal. Any thread may call it.
final class HostPrinter: Sendable {
    private struct State: ~Copyable {
        var output: Output
        /// The rows for a terminal; nil for lines.
        var table: Table?
        var count = 0
    }

    private let lines: HostLines
    private let isQuiet: Bool
    private let limit: Int
    private let state: Mutex<State>

    /// Makes a printer. With `isQuiet` it only counts.
    init(_ lines: HostLines, nulTerminated: Bool, isQuiet: Bool, limit: Int) {
        self.lines = lines
        self.isQuiet = isQuiet
        self.limit = limit
        var table: Table?
        if !nulTerminated, !isQuiet, lines.form == .tabs, Terminal.isTerminal() {
            let columns = lines.attributes.map { (name: $0.name, alignsRight: ItemColumns.alignsRight($0)) }
            table = Table(header: [(name: "host", alignsRight: false)] + columns)
        }
        state = Mutex(State(output: Output(nulTerminated: nulTerminated), table: table))
    }

    /// The number of printed items.
    var count: Int { state.withLock { $0.count } }

    /// Prints items into the buffer of ``flush()``. Returns false if the limit is reached.
    func print(_ items: some Sequence<MetadataItem>, of host: String) -> Bool {
        state.withLock { state in
            for item in items {
                guard state.count < limit else { break }
                state.count += 1
                if isQuiet { continue }
                if state.table != nil {
                    let row = ItemColumns.row(lines.attributes, of: item)
                    state.table?.add([Table.Cell(DisplayText.escaped(host))] + row)
                } else {
                    state.output.line(lines.line(item, host))
                }
            }
            return state.count < limit
        }
    }

    /// Writes the lines so far.
    func flush() { state.withLock { $0.output.flush() } }

    /// Prints the table, if there is one, and writes the remaining output.
    func finish() {
        state.withLock { state in
            if let table = state.table {
                for line in table.lines(color: Terminal.hasColor(), width: Terminal.width) { state.output.line(line) }
            }
            state.output.flush()
        }
    }
}
