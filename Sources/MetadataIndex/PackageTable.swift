// What there is of each package besides its columns, by row.
// SPDX-License-Identifier: Apache-2.0

/// What there is of each package besides its columns, by row. It comes in pieces, so that a write to a table that a snapshot
/// holds too copies one piece and not what there is of all packages.
struct PackageTable: Sendable {
    /// Rows of a piece, as a power of two.
    private static let shift: UInt32 = 10

    private var pieces: [[UInt32: PackageFacts]] = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    subscript(row: UInt32) -> PackageFacts? {
        get {
            let at = Int(row >> PackageTable.shift)
            return at < pieces.count ? pieces[at][row] : nil
        }
        set {
            let at = Int(row >> PackageTable.shift)
            if at >= pieces.count {
                if newValue == nil { return }
                pieces.append(contentsOf: repeatElement([:], count: at + 1 - pieces.count))
            }
            let before = pieces[at].count
            pieces[at][row] = newValue
            count += pieces[at].count - before
        }
    }

    /// Calls `body` for each package, in the order of their rows.
    func forEach<E: Error>(_ body: (UInt32, PackageFacts) throws(E) -> Void) throws(E) {
        for piece in pieces where !piece.isEmpty {
            for row in piece.keys.sorted() { if let facts = piece[row] { try body(row, facts) } }
        }
    }

    /// Bytes held.
    var byteCount: Int {
        pieces.reduce(pieces.capacity * 8) { sum, piece in
            piece.values.reduce(sum + piece.capacity * (MemoryLayout<PackageFacts>.stride + 8)) {
                $0 + ($1.accesses?.byteCount ?? 0)
            }
        }
    }
}
