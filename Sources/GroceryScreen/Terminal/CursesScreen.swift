// A terminal as a screen, through ncurses.
// SPDX-License-Identifier: Apache-2.0

internal import CNcurses
internal import Glibc

/// The terminal of this process. One thread uses it, from ``init(usesColour:usesMouse:)`` to ``end()``.
struct CursesScreen: ~Copyable {
    /// The descriptor from which signals and wake-ups are read.
    let pipe: CInt

    /// Takes over the terminal, or throws a sentence.
    init(usesColour: Bool, usesMouse: Bool) throws(ScreenFailure) {
        var pipe: CInt = -1
        let code = cncurses_begin(usesColour ? 1 : 0, usesMouse ? 1 : 0, &pipe)
        if code == -ENODEV {
            let type = getenv("TERM").map { String(cString: $0) } ?? ""
            throw ScreenFailure(
                message: "The terminal ‘\(type)’ has no full screen; set TERM, or use commands such as grocery list")
        }
        if code < 0 {
            throw ScreenFailure(message: "The terminal cannot be used: \(String(cString: strerror(-code)))")
        }
        self.pipe = pipe
    }

    var size: (width: Int, height: Int) {
        var columns: CInt = 0
        var lines: CInt = 0
        cncurses_size(&columns, &lines)
        return (Int(columns), Int(lines))
    }

    func show(_ grid: Grid) {
        cncurses_erase()
        for line in 0..<grid.height {
            for column in 0..<grid.width {
                let cell = grid[line, column]
                // The second half of a wide character, and a cell that is blank already.
                if cell.scalars.isEmpty || cell == Cell() { continue }
                cell.scalars.map(\.value).withUnsafeBufferPointer {
                    cncurses_draw(CInt(line), CInt(column), $0.baseAddress, $0.count, cell.style.bits)
                }
            }
        }
        cncurses_show(CInt(grid.cursor?.line ?? -1), CInt(grid.cursor?.column ?? 0))
    }

    /// The keys that have arrived. Does not wait.
    func keys(_ reader: inout KeyReader) -> [Key] {
        var keys: [Key] = []
        while true {
            let code = cncurses_next_key()
            if code == CInt(CNCURSES_NONE) { return keys }
            keys += reader.keys(code: code) {
                var column: CInt = 0
                var line: CInt = 0
                cncurses_mouse(&column, &line)
                return (Int(column), Int(line))
            }
        }
    }

    func end() { cncurses_end() }
}

extension CellStyle {
    fileprivate var bits: UInt32 {
        var bits = colour.rawValue << UInt32(CNCURSES_COLOUR_SHIFT)
        if isBold { bits |= UInt32(CNCURSES_BOLD) }
        if isDim { bits |= UInt32(CNCURSES_DIM) }
        if isReversed { bits |= UInt32(CNCURSES_REVERSED) }
        if isUnderlined { bits |= UInt32(CNCURSES_UNDERLINED) }
        return bits
    }
}
