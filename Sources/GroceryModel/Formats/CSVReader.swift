// The records of a CSV text.
// SPDX-License-Identifier: Apache-2.0

/// The records of a CSV text (RFC 4180). A cell in quotes may have separators and line ends in it, and two quotes for one. Blanks
/// around quotes are skipped.
struct CSVReader {
    private var rest: Substring.UTF8View
    private let separator: UInt8
    /// The number of the line that comes next.
    private var line = 1

    /// Makes a reader that begins with a line.
    init(_ text: String, separator: UInt8, line first: Int = 1) {
        rest = text[...].utf8
        self.separator = separator
        while line < first, takeLineEnd() || rest.popFirst() != nil {}
    }

    /// Reads the next record that is no empty line; nil at the end.
    mutating func next() throws(GroceryError) -> (line: Int, cells: [String])? {
        while takeLineEnd() {}
        guard !rest.isEmpty else { return nil }
        let first = line
        var cells: [String] = []
        repeat {
            cells.append(try cell())
        } while take(separator)
        _ = takeLineEnd()
        return (first, cells)
    }

    private mutating func cell() throws(GroceryError) -> String {
        let start = rest
        skipBlanks()
        guard take(UInt8(ascii: "\"")) else {
            rest = start
            let cell = rest.prefix { $0 != separator && $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
            rest = rest.dropFirst(cell.count)
            return String(Substring(cell))
        }
        let first = line
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\n") { line += 1 }
            if byte == UInt8(ascii: "\""), !take(UInt8(ascii: "\"")) {
                skipBlanks()
                guard rest.isEmpty || rest.first == separator || "\r\n".utf8.contains(rest.first ?? 0) else {
                    throw GroceryError(.invalid, "line \(line): text follows a cell in quotes")
                }
                return String(decoding: bytes, as: UTF8.self)
            }
            bytes.append(byte)
        }
        throw GroceryError(.invalid, "line \(first): a cell in quotes does not end")
    }

    private mutating func skipBlanks() {
        while let byte = rest.first, byte != separator, byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") {
            rest.removeFirst()
        }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard rest.first == byte else { return false }
        rest.removeFirst()
        return true
    }

    /// Takes LF, CR LF, or the CR of old spreadsheets.
    private mutating func takeLineEnd() -> Bool {
        let hasReturn = take(UInt8(ascii: "\r"))
        guard take(UInt8(ascii: "\n")) || hasReturn else { return false }
        line += 1
        return true
    }
}
