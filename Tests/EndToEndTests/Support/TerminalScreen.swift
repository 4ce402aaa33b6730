// The screen of a terminal, made from what a program writes.
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Interprets the control sequences that the descriptions `xterm` and `vt100` of terminfo(5) name. Sequences that it does not
/// know are kept in ``unknown``. Each character takes the columns that wcwidth(3) of the C.UTF-8 locale says.
struct TerminalScreen: Sendable {
    private(set) var width: Int
    private(set) var height: Int
    private(set) var cells: [[String]]
    private(set) var column = 0
    private(set) var line = 0
    private(set) var isAlternate = false
    private(set) var hasCursor = true
    private(set) var unknown: [String] = []
    /// Whether a sequence has set a colour.
    private(set) var hasColour = false
    private var region: Range<Int>
    private var pending: [UInt8] = []
    private var main: [[String]] = []
    private var lastText = " "
    private var wrapsNext = false

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
        region = 0..<height
        cells = TerminalScreen.blank(width, height)
    }

    private static func blank(_ width: Int, _ height: Int) -> [[String]] {
        Array(repeating: Array(repeating: " ", count: width), count: height)
    }

    /// The lines, without blanks at their ends.
    var lines: [String] {
        cells.map { line in
            var text = line.joined()
            while text.last == " " { text.removeLast() }
            return text
        }
    }
    var text: String { lines.joined(separator: "\n") }

    mutating func resize(width: Int, height: Int) {
        self.width = width
        self.height = height
        cells = TerminalScreen.blank(width, height)
        region = 0..<height
        (column, line) = (min(column, width - 1), min(line, height - 1))
    }

    mutating func take(_ bytes: some Sequence<UInt8>) {
        pending += bytes
        var rest = pending[...]
        while !rest.isEmpty {
            let before = rest
            guard takeOne(&rest) else {
                // The end has not arrived.
                pending = Array(before)
                return
            }
        }
        pending = []
    }

    /// Takes one character or control sequence. False if it is not complete.
    private mutating func takeOne(_ rest: inout ArraySlice<UInt8>) -> Bool {
        guard let first = rest.popFirst() else { return false }
        switch first {
        case 0x1B: return takeEscape(&rest)
        case 0x07, 0x00, 0x0E, 0x0F: break
        case 0x08: (column, wrapsNext) = (max(0, column - 1), false)
        case 0x09: column = min(width - 1, (column / 8 + 1) * 8)
        case 0x0A: lineFeed()
        case 0x0D: (column, wrapsNext) = (0, false)
        default:
            let length = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
            guard rest.count >= length - 1 else { return false }
            let bytes = [first] + rest.prefix(length - 1)
            rest = rest.dropFirst(length - 1)
            put(String(decoding: bytes, as: UTF8.self))
        }
        return true
    }

    private mutating func put(_ text: String) {
        guard let scalar = text.unicodeScalars.first else { return }
        let columns = TerminalScreen.columns(scalar)
        if columns == 0 {
            let at = wrapsNext ? column : max(0, column - 1)
            let place = cells[line][at].isEmpty ? max(0, at - 1) : at
            cells[line][place] += text
            return
        }
        if wrapsNext || column + columns > width {
            (column, wrapsNext) = (0, false)
            lineFeed()
        }
        cells[line][column] = text
        if columns == 2, column + 1 < width { cells[line][column + 1] = "" }
        lastText = text
        if column + columns >= width { (column, wrapsNext) = (width - 1, true) } else { column += columns }
    }

    /// The tests use few characters: the ideographs and emoji that they have are wide.
    private static func columns(_ scalar: Unicode.Scalar) -> Int {
        switch scalar.value {
        case 0x300...0x36F: 0
        case 0x1100...0x115F, 0x2E80...0x9FFF, 0xAC00...0xD7A3, 0xFF01...0xFF60, 0x1F300...0x1FAFF: 2
        default: 1
        }
    }

    private mutating func lineFeed() {
        if line == region.upperBound - 1 { scroll(1) } else { line = min(height - 1, line + 1) }
    }

    private mutating func scroll(_ count: Int, from first: Int? = nil) {
        let top = first ?? region.lowerBound
        guard top < region.upperBound else { return }
        for _ in 0..<min(abs(count), region.upperBound - top) {
            let blank = Array(repeating: " ", count: width)
            if count > 0 {
                cells.remove(at: top)
                cells.insert(blank, at: region.upperBound - 1)
            } else {
                cells.remove(at: region.upperBound - 1)
                cells.insert(blank, at: top)
            }
        }
    }

    private mutating func takeEscape(_ rest: inout ArraySlice<UInt8>) -> Bool {
        guard let kind = rest.popFirst() else { return false }
        switch kind {
        case UInt8(ascii: "["):
            guard let end = rest.firstIndex(where: { (0x40...0x7E).contains($0) }) else { return false }
            let parameters = String(decoding: rest[..<end], as: UTF8.self)
            let final = Character(Unicode.Scalar(rest[end]))
            rest = rest[(end + 1)...]
            control(parameters, final)
        case UInt8(ascii: "]"):
            guard let end = rest.firstIndex(of: 0x07) else { return false }
            rest = rest[(end + 1)...]
        case UInt8(ascii: "("), UInt8(ascii: ")"):
            guard rest.popFirst() != nil else { return false }
        case UInt8(ascii: "M"): if line == region.lowerBound { scroll(-1) } else { line = max(0, line - 1) }
        case UInt8(ascii: "D"): lineFeed()
        case UInt8(ascii: "="), UInt8(ascii: ">"), UInt8(ascii: "7"), UInt8(ascii: "8"): break
        default: unknown.append("ESC \(Character(Unicode.Scalar(kind)))")
        }
        return true
    }

    private mutating func control(_ text: String, _ final: Character) {
        if text.hasPrefix("?") || text.hasPrefix(">") {
            mode(text.dropFirst(), isOn: final == "h")
            return
        }
        let numbers = text.split(separator: ";", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
        let first = numbers.first ?? 0
        let count = max(1, first)
        if final != "m" { wrapsNext = false }
        switch final {
        case "H", "f":
            line = min(height, max(1, first)) - 1
            column = min(width, max(1, numbers.count > 1 ? numbers[1] : 1)) - 1
        case "A": line = max(0, line - count)
        case "B": line = min(height - 1, line + count)
        case "C": column = min(width - 1, column + count)
        case "D": column = max(0, column - count)
        case "G": column = min(width, count) - 1
        case "d": line = min(height, count) - 1
        case "J": erase(first)
        case "K": eraseLine(first == 0 ? column..<width : first == 1 ? 0..<column + 1 : 0..<width)
        case "X": eraseLine(column..<min(width, column + count))
        case "P":
            cells[line].removeSubrange(column..<min(width, column + count))
            while cells[line].count < width { cells[line].append(" ") }
        case "@":
            cells[line].insert(contentsOf: Array(repeating: " ", count: count), at: column)
            cells[line].removeLast(count)
        case "L": scroll(-count, from: line)
        case "M": scroll(count, from: line)
        case "S": scroll(count)
        case "T": scroll(-count)
        case "b": for _ in 0..<count { put(lastText) }
        case "r":
            region = max(0, count - 1)..<(numbers.count > 1 && numbers[1] > 0 ? min(height, numbers[1]) : height)
            (line, column) = (0, 0)
        case "m": if numbers.contains(where: { (31...36).contains($0) }) { hasColour = true }
        case "l", "h", "t": break
        default: unknown.append("CSI \(text)\(final)")
        }
    }

    private mutating func erase(_ kind: Int) {
        let lines = kind == 0 ? line + 1..<height : kind == 1 ? 0..<line : 0..<height
        for index in lines { cells[index] = Array(repeating: " ", count: width) }
        if kind == 0 { eraseLine(column..<width) }
        if kind == 1 { eraseLine(0..<column + 1) }
    }

    private mutating func eraseLine(_ columns: Range<Int>) { for column in columns { cells[line][column] = " " } }

    private mutating func mode(_ numbers: Substring, isOn: Bool) {
        for number in numbers.split(separator: ";") {
            switch number {
            case "1049":
                guard isAlternate != isOn else { break }
                isAlternate = isOn
                if isOn { main = cells } else { cells = main }
                if isOn || main.count != height || main.first?.count != width {
                    cells = TerminalScreen.blank(width, height)
                }
            case "25": hasCursor = isOn
            // Keys, scrolling, blinking, the mouse and pasted text do not change the picture.
            case "1", "3", "4", "7", "12", "1000", "1006", "1034", "2004": break
            default: unknown.append("mode \(number)")
            }
        }
    }
}
