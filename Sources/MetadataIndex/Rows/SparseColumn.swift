// Values of few rows, by row.
// SPDX-License-Identifier: Apache-2.0

/// Values of few rows, by row. It comes in pieces, so that a write to one that a snapshot holds copies one piece and not
/// the values of all rows.
struct SparseColumn<Value: Sendable>: Sendable {
    /// Rows of a piece, as a power of two.
    private static var shift: UInt32 { 10 }

    private var pieces: [[UInt32: Value]] = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    subscript(row: UInt32) -> Value? {
        get {
            let at = Int(row >> SparseColumn.shift)
            return at < pieces.count ? pieces[at][row] : nil
        }
        set {
            let at = Int(row >> SparseColumn.shift)
            if at >= pieces.count {
                if newValue == nil { return }
                pieces.append(contentsOf: repeatElement([:], count: at + 1 - pieces.count))
            }
            let before = pieces[at].count
            pieces[at][row] = newValue
            count += pieces[at].count - before
        }
    }

    /// Calls `body` for each row that has a value, in the order of rows.
    func forEach<E: Error>(_ body: (UInt32, Value) throws(E) -> Void) throws(E) {
        for at in pieces.indices { try forEach(inPiece: at, body) }
    }

    /// Calls `body` for each row of a block that has a value, in the order of rows.
    func forEach<E: Error>(inBlock number: Int, _ body: (UInt32, Value) throws(E) -> Void) throws(E) {
        let piecesOfBlock = Block.capacity >> Int(SparseColumn.shift)
        let first = number * piecesOfBlock
        for at in first..<first + piecesOfBlock where at < pieces.count { try forEach(inPiece: at, body) }
    }

    /// Calls `body` for each row from one on that has a value, in the order of rows, until it returns false.
    func forEach(from first: UInt32, _ body: (UInt32, Value) -> Bool) {
        for at in pieces.indices.dropFirst(Int(first >> SparseColumn.shift)) {
            for (row, value) in pieces[at].sorted(by: { $0.key < $1.key }) where row >= first {
                if !body(row, value) { return }
            }
        }
    }

    private func forEach<E: Error>(inPiece at: Int, _ body: (UInt32, Value) throws(E) -> Void) throws(E) {
        let piece = pieces[at]
        if piece.isEmpty { return }
        for row in piece.keys.sorted() { if let value = piece[row] { try body(row, value) } }
    }

    /// Bytes held, but for those that the values hold elsewhere.
    var byteCount: Int {
        pieces.reduce(pieces.capacity * 8) { $0 + $1.capacity * (MemoryLayout<Value>.stride + 8) }
    }
}

extension SparseColumn<PackageFacts> {
    /// Bytes held by the access rules of packages.
    var accessBytes: Int {
        var bytes = 0
        forEach { (_, facts) in bytes += facts.accesses?.byteCount ?? 0 }
        return bytes
    }
}
