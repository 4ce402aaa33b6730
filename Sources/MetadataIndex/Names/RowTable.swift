// A hash table of row numbers whose keys are stored in the rows.
// SPDX-License-Identifier: Apache-2.0

/// A hash table of row numbers whose keys are stored in the rows (extendible hashing).
///
/// The first bits of a hash choose a segment. A segment is a small table with linear probing that keeps 16 bits of each hash
/// beside the row. Those bits tell the places apart without reading the rows (65,535 times in 65,536). They also suffice to
/// find a row's place again when the segment grows, a quarter at a time; only a segment that is split reads the hashes of its
/// rows. So at most 24 KiB are moved at once, and the load stays between 0.64 and 0.8: 8 bytes a row at a million rows.
struct RowTable: ~Copyable {
    fileprivate struct Segment {
        /// Row numbers, and behind them 16 bits of the hash of each; 0 where the place is empty.
        var rows: UnsafeMutablePointer<UInt32>
        var hashes: UnsafeMutablePointer<UInt16>
        var capacity: Int
        var count = 0
        /// How many first bits all hashes of the segment share.
        var depth: Int

        init(capacity: Int, depth: Int) {
            let memory = UnsafeMutableRawPointer.allocate(byteCount: capacity * 6, alignment: 16)
            rows = memory.bindMemory(to: UInt32.self, capacity: capacity)
            hashes = (memory + capacity * 4).bindMemory(to: UInt16.self, capacity: capacity)
            hashes.initialize(repeating: 0, count: capacity)
            self.capacity = capacity
            self.depth = depth
        }

        @inline(__always)
        func home(_ hash: UInt16) -> Int { (Int(hash) &* capacity) >> 16 }

        mutating func add(_ hash: UInt16, _ row: UInt32) {
            var place = home(hash)
            while hashes[place] != 0 {
                place += 1
                if place == capacity { place = 0 }
            }
            hashes[place] = hash
            rows[place] = row
            count += 1
        }

        /// Closes the gap at `place`: rows behind it that would be cut off from their home move up.
        mutating func close(_ place: Int) {
            var gap = place
            var next = place
            while true {
                next += 1
                if next == capacity { next = 0 }
                let hash = hashes[next]
                if hash == 0 { break }
                let home = home(hash)
                // Stays where it is if its home lies behind the gap, seen around the end.
                let stays = gap <= next ? gap < home && home <= next : gap < home || home <= next
                if stays { continue }
                hashes[gap] = hash
                rows[gap] = rows[next]
                gap = next
            }
            hashes[gap] = 0
            count -= 1
        }

        mutating func resize(_ newCapacity: Int) {
            var other = Segment(capacity: newCapacity, depth: depth)
            for place in 0..<capacity where hashes[place] != 0 { other.add(hashes[place], rows[place]) }
            free()
            self = other
        }

        func free() { UnsafeMutableRawPointer(rows).deallocate() }
    }

    fileprivate static let smallestCapacity = 16
    private static let largestCapacity = 4_096
    /// Beyond this depth a segment grows instead of being split; hashes are 64 bits, of which 16 are kept.
    private static let largestDepth = 32
    /// A segment is split in eight. Each row's hash is read 0.14 to 1.14 times while the table grows, in place of 1 to 2 times
    /// with splits in two, and each read is three cache misses.
    private static let splitBits = 3
    private static let splitParts = 1 << splitBits

    private var segments: [Segment]
    /// The segment of each combination of the first `depth` bits.
    private var directory: [UInt32]
    private var depth = 0
    private(set) var count = 0
    /// The result of ``touch(_:)``, stored so that the optimizer keeps the reads.
    private var touched: UInt16 = 0

    init() {
        segments = [Segment(capacity: RowTable.smallestCapacity, depth: 0)]
        directory = [0]
    }

    deinit { for segment in segments { segment.free() } }

    /// Bytes held, unused capacity included.
    var byteCount: Int {
        segments.reduce(0) { $0 + $1.capacity * 6 } + segments.capacity * MemoryLayout<Segment>.stride
            + directory.capacity * 4
    }

    /// The first `depth` bits of a hash: in two shifts, as one by 64 would shift by nothing.
    @inline(__always)
    private func place(of hash: UInt64) -> Int { Int(truncatingIfNeeded: (hash &>> 1) &>> UInt64(63 - depth)) }

    @inline(__always)
    private func segment(of hash: UInt64) -> Int { Int(directory[place(of: hash)]) }

    @inline(__always)
    private static func kept(_ hash: UInt64) -> UInt16 { max(1, UInt16(truncatingIfNeeded: hash)) }

    /// The row with this hash for which `matches` holds.
    @inline(__always)
    func find(_ hash: UInt64, where matches: (UInt32) -> Bool) -> UInt32? {
        let segment = segments[segment(of: hash)]
        let kept = RowTable.kept(hash)
        var place = segment.home(kept)
        while true {
            let there = segment.hashes[place]
            if there == 0 { return nil }
            if there == kept, matches(segment.rows[place]) { return segment.rows[place] }
            place += 1
            if place == segment.capacity { place = 0 }
        }
    }

    /// Reads the place where a row with this hash would stand, so that it is near when it is needed: calls in a row wait for
    /// the memory together, while look-ups with work between them each wait on their own.
    @inline(__always)
    mutating func touch(_ hash: UInt64) {
        let segment = segments[segment(of: hash)]
        touched &+= segment.hashes[segment.home(RowTable.kept(hash))]
    }

    /// Whether ``makeRoom(for:rehash:)`` must be called before a row with this hash is added.
    @inline(__always)
    func needsRoom(for hash: UInt64) -> Bool {
        let at = segment(of: hash)
        return segments[at].count &* 5 >= segments[at].capacity &* 4
    }

    /// Makes room for a row with this hash. `rehash` gives the hash of a row that was added before.
    @inline(never)
    mutating func makeRoom(for hash: UInt64, rehash: (UInt32) -> UInt64) {
        while needsRoom(for: hash) { makeRoom(segment(of: hash), rehash: rehash) }
    }

    /// Adds a row that is not there, when there is room.
    @inline(__always)
    mutating func add(_ hash: UInt64, _ row: UInt32) {
        segments[segment(of: hash)].add(RowTable.kept(hash), row)
        count += 1
    }

    /// Takes a row away. False if it is not there.
    @discardableResult
    mutating func remove(_ hash: UInt64, _ row: UInt32) -> Bool {
        let at = segment(of: hash)
        let kept = RowTable.kept(hash)
        var place = segments[at].home(kept)
        while true {
            let there = segments[at].hashes[place]
            if there == 0 { return false }
            if there == kept, segments[at].rows[place] == row { break }
            place += 1
            if place == segments[at].capacity { place = 0 }
        }
        segments[at].close(place)
        count -= 1
        if segments[at].capacity > 64, segments[at].count * 4 < segments[at].capacity {
            segments[at].resize(segments[at].capacity / 2)
        }
        return true
    }

    /// Puts another row in the place of one with the same hash.
    mutating func substitute(_ hash: UInt64, _ row: UInt32, by other: UInt32) {
        let segment = segments[segment(of: hash)]
        let kept = RowTable.kept(hash)
        var place = segment.home(kept)
        while segment.hashes[place] != 0 {
            if segment.hashes[place] == kept, segment.rows[place] == row {
                segment.rows[place] = other
                return
            }
            place += 1
            if place == segment.capacity { place = 0 }
        }
    }

    private mutating func makeRoom(_ at: Int, rehash: (UInt32) -> UInt64) {
        let old = segments[at]
        guard old.capacity >= RowTable.largestCapacity, old.depth < RowTable.largestDepth else {
            segments[at].resize(old.capacity + old.capacity / 4 + 4)
            return
        }
        while depth < old.depth + RowTable.splitBits {
            var wider: [UInt32] = []
            wider.reserveCapacity(directory.count * 2)
            for entry in directory {
                wider.append(entry)
                wider.append(entry)
            }
            directory = wider
            depth += 1
        }
        // The part of each row, by the bits that follow those that the segment shares.
        let shift = UInt64(64 - old.depth - RowTable.splitBits)
        var parts: [UInt8] = []
        parts.reserveCapacity(old.count)
        var counts = [Int](repeating: 0, count: RowTable.splitParts)
        var shared: UInt64 = 0
        for place in 0..<old.capacity where old.hashes[place] != 0 {
            let hash = rehash(old.rows[place])
            let part = Int(truncatingIfNeeded: hash >> shift) & (RowTable.splitParts - 1)
            parts.append(UInt8(truncatingIfNeeded: part))
            counts[part] += 1
            shared = hash
        }
        var split = counts.map {
            Segment(capacity: RowTable.capacity(for: $0), depth: old.depth + RowTable.splitBits)
        }
        var next = 0
        for place in 0..<old.capacity where old.hashes[place] != 0 {
            split[Int(parts[next])].add(old.hashes[place], old.rows[place])
            next += 1
        }
        old.free()
        // The combinations that begin with the segment's bits stand together, an equal run for each part.
        let run = directory.count >> (old.depth + RowTable.splitBits)
        let first = place(of: shared) / (run * RowTable.splitParts) * (run * RowTable.splitParts)
        segments[at] = split[0]
        for part in 1..<RowTable.splitParts {
            let number = UInt32(segments.count)
            segments.append(split[part])
            for entry in first + part * run..<first + (part + 1) * run { directory[entry] = number }
        }
    }

    private static func capacity(for count: Int) -> Int { max(smallestCapacity, count + count / 2) }
}

// MARK: Many rows at once

extension RowTable {
    /// Takes away all rows for which `isGone` holds, without a look at any row: a place in the segment follows from the bits
    /// that are kept. Some 3 ns for each row of the table.
    mutating func removeAll(where isGone: (UInt32) -> Bool) {
        for at in segments.indices where segments[at].count > 0 {
            let old = segments[at]
            var rest = Segment(capacity: old.capacity, depth: old.depth)
            for place in 0..<old.capacity where old.hashes[place] != 0 && !isGone(old.rows[place]) {
                rest.add(old.hashes[place], old.rows[place])
            }
            count -= old.count - rest.count
            old.free()
            let enough = RowTable.capacity(for: rest.count)
            if enough * 2 < rest.capacity { rest.resize(enough) }
            segments[at] = rest
        }
    }

    /// Builds a table of rows whose hashes are all known, in parts that several threads may build at once. The rows of a part are
    /// counted first and then added, so each segment gets its size at once. A part is small enough for its segments to stay in
    /// the cache.
    ///
    /// `@unchecked Sendable`: a part's segments are written by the thread that builds it, and read when all parts are built.
    final class Builder: @unchecked Sendable {
        private let depth: Int
        private let segments: UnsafeMutablePointer<Segment>
        /// How many first bits of a hash say its part.
        private let partBits: Int

        /// Rows of a segment, so that its table is smaller than the largest.
        private static let segmentRows = 2_400
        private static let largestPartBits = 4

        init(expecting rows: Int) {
            var depth = 0
            while depth < RowTable.largestDepth, rows >> depth > Builder.segmentRows { depth += 1 }
            self.depth = depth
            partBits = min(depth, Builder.largestPartBits)
            segments = .allocate(capacity: 1 << depth)
            for place in 0..<1 << depth {
                (segments + place).initialize(to: Segment(capacity: 0, depth: depth))
            }
        }

        /// Frees the segments of an unfinished table.
        deinit {
            for place in 0..<1 << depth { segments[place].free() }
            segments.deallocate()
        }

        /// How many parts there are at most.
        static let mostParts = 1 << largestPartBits

        var parts: Int { 1 << partBits }

        @inline(__always)
        func part(of hash: UInt64) -> Int { Int(truncatingIfNeeded: (hash &>> 1) &>> UInt64(63 - partBits)) }

        @inline(__always)
        private func place(of hash: UInt64) -> Int {
            Int(truncatingIfNeeded: (hash &>> 1) &>> UInt64(63 - depth))
        }

        /// Rows of a part with their hashes: the common base of their numbers, and the rest of each.
        struct Rows {
            let base: UInt32
            let hashes: UnsafePointer<UInt64>
            let slots: UnsafePointer<UInt16>
            let count: Int
        }

        /// Makes a part of all its rows. False where `areTwins` holds for two with the same hash, of which one is left out then.
        @inline(__always)
        func make(_ part: Int, of blocks: [Rows], areTwins: (UInt32, UInt32) -> Bool) -> Bool {
            let size = 1 << (depth - partBits)
            let own = segments + part * size
            for rows in blocks {
                for number in 0..<rows.count { own[place(of: rows.hashes[number]) - part * size].count += 1 }
            }
            for place in 0..<size {
                let count = own[place].count
                own[place].free()
                own[place] = Segment(
                    capacity: max(RowTable.smallestCapacity, count + count * 3 / 7 + 4), depth: depth)
            }
            var hasTwin = false
            for rows in blocks {
                for number in 0..<rows.count {
                    let row = rows.base | UInt32(rows.slots[number])
                    if !add(rows.hashes[number], row, to: own, part * size, areTwins) { hasTwin = true }
                }
            }
            return !hasTwin
        }

        @inline(__always)
        private func add(
            _ hash: UInt64, _ row: UInt32, to own: UnsafeMutablePointer<Segment>, _ first: Int,
            _ areTwins: (UInt32, UInt32) -> Bool
        ) -> Bool {
            let at = place(of: hash) - first
            let kept = RowTable.kept(hash)
            let segment = own[at]
            var place = segment.home(kept)
            while segment.hashes[place] != 0 {
                if segment.hashes[place] == kept, areTwins(segment.rows[place], row) { return false }
                place += 1
                if place == segment.capacity { place = 0 }
            }
            segment.hashes[place] = kept
            segment.rows[place] = row
            own[at].count += 1
            return true
        }

        /// The table, when all parts are made.
        func finish() -> RowTable {
            var made: [Segment] = []
            made.reserveCapacity(1 << depth)
            var total = 0
            for place in 0..<1 << depth {
                made.append(segments[place])
                total += segments[place].count
                segments[place] = Segment(capacity: 0, depth: depth)
            }
            return RowTable(segments: made, depth: depth, count: total)
        }
    }

    private init(segments: [Segment], depth: Int, count: Int) {
        self.segments = segments
        self.depth = depth
        self.count = count
        directory = (0..<UInt32(segments.count)).map { $0 }
    }
}
