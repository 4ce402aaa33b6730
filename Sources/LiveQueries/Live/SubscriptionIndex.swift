// The subscription index: live queries filed by necessary conditions, so that a change reaches few of them.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import MetadataIndex
import PredicateLanguage

/// Queries, by number, filed first by the directory that they search and then by a necessary condition on an item. A
/// look-up finds a superset of the queries that can match, some of them perhaps more than once.
struct SubscriptionIndex {
    /// Queries of all directories.
    private var everywhere: DemandIndex
    /// Queries of items below a directory, by the hash of its path. Two directories with the same hash share an entry:
    /// their queries are tested for more changes than necessary, and answer correctly.
    private var below: [UInt64: DemandIndex] = [:]
    private let hash: ByteHash
    private(set) var count = 0
    /// The number of queries filed by the beginning of the path.
    private var pathCount = 0

    init() {
        hash = ByteHash(seed: .random(in: .min ... .max))
        everywhere = DemandIndex(hash: hash)
    }

    /// Whether a look-up needs the path.
    var needsPath: Bool { !below.isEmpty || pathCount > 0 }

    mutating func file(_ number: Int, _ plan: QueryPlan) {
        count += 1
        if plan.demand.readsPath { pathCount += 1 }
        guard let directories = plan.scope.directories else {
            everywhere.file(number, plan.demand)
            return
        }
        for directory in directories {
            below[hash(directory), default: DemandIndex(hash: hash)].file(number, plan.demand)
        }
    }

    mutating func unfile(_ number: Int, _ plan: QueryPlan) {
        count -= 1
        if plan.demand.readsPath { pathCount -= 1 }
        guard let directories = plan.scope.directories else {
            everywhere.unfile(number, plan.demand)
            return
        }
        for directory in directories {
            let key = hash(directory)
            below[key]?.unfile(number, plan.demand)
            if below[key]?.isEmpty ?? false { below[key] = nil }
        }
    }

    /// Appends the queries that may match the item in a row, with this name and directory. `path` may be empty where
    /// ``needsPath`` is false.
    func appendCandidates(
        row: Row, parent: Row, name: UnsafeRawBufferPointer, kind: FileKind, path: [UInt8], to found: inout [Int]
    ) {
        if count == 0 { return }
        let item = FiledItem(row: row.number, parent: parent.number, name: name, kind: kind)
        everywhere.appendCandidates(item, path, to: &found)
        if below.isEmpty { return }
        var state = hash.start
        for byte in path {
            if byte == UInt8(ascii: "/"), let index = below[state] {
                index.appendCandidates(item, path, to: &found)
            }
            state = hash.next(state, byte)
        }
    }
}

/// A hash that grows byte by byte. It is seeded, so that no user can choose texts that collide.
struct ByteHash: Sendable {
    let start: UInt64

    init(seed: UInt64) { start = seed | 1 }

    @inline(__always)
    func next(_ state: UInt64, _ byte: UInt8) -> UInt64 {
        let mixed = (state ^ UInt64(byte)) &* 0x9E37_79B9_7F4A_7C15
        return mixed ^ mixed >> 29
    }

    func callAsFunction(_ bytes: some Sequence<UInt8>) -> UInt64 { bytes.reduce(start) { next($0, $1) } }
}

/// The keys of a look-up, without the path.
private struct FiledItem {
    let row: UInt32
    let parent: UInt32
    let name: UnsafeRawBufferPointer
    let kind: FileKind
}

extension PlanDemand {
    /// Whether an item's path is needed to find the queries with this condition.
    fileprivate var readsPath: Bool {
        alternatives?.contains { if case .path = $0 { true } else { false } } ?? false
    }
}

/// Queries filed by a necessary condition on an item; queries with a condition on the kind only, by that.
private struct DemandIndex {
    private var items: [UInt32: [Int]] = [:]
    private var parents: [UInt32: [Int]] = [:]
    private var paths: LiteralIndex
    private let hash: ByteHash
    private var exact: TextIndex
    /// By literals of the name without case and accents.
    private var folded: TextIndex
    /// By the raw value of the kind.
    private var rest = [[Int]](repeating: [], count: FileKind.allCases.count)
    private var count = 0

    /// PATH_MAX. A longer path, of a deeper item, cannot be given to a system call.
    private static let longestPath = 4_096

    init(hash: ByteHash) {
        self.hash = hash
        paths = LiteralIndex(longest: DemandIndex.longestPath)
        exact = TextIndex(hash: hash)
        folded = TextIndex(hash: hash)
    }

    var isEmpty: Bool { count == 0 }

    mutating func file(_ number: Int, _ demand: PlanDemand) {
        count += 1
        change(number, demand, isAdded: true)
    }

    mutating func unfile(_ number: Int, _ demand: PlanDemand) {
        count -= 1
        change(number, demand, isAdded: false)
    }

    /// Changes the lists that hold the queries with this condition.
    private mutating func change(_ number: Int, _ demand: PlanDemand, isAdded: Bool) {
        func change(_ list: inout [Int]) {
            if isAdded {
                list.append(number)
            } else if let place = list.lastIndex(of: number) {
                list.remove(at: place)
            }
        }
        guard let alternatives = demand.alternatives else {
            for kind in FileKind.allCases where demand.kinds >> UInt16(kind.rawValue) & 1 != 0 {
                change(&rest[Int(kind.rawValue)])
            }
            return
        }
        for alternative in alternatives {
            switch alternative {
            case .name(let name) where name.isFolded: folded.change(number, name, isAdded: isAdded)
            case .name(let name): exact.change(number, name, isAdded: isAdded)
            case .row(let row): TextIndex.change(&items, row.number, change)
            case .parent(let row): TextIndex.change(&parents, row.number, change)
            case .path(let bytes):
                let bytes = bytes.prefix(DemandIndex.longestPath)
                paths.change(hash(bytes), length: bytes.count, change)
            }
        }
    }

    func appendCandidates(_ item: FiledItem, _ path: [UInt8], to found: inout [Int]) {
        found += rest[Int(item.kind.rawValue)]
        if !items.isEmpty, let numbers = items[item.row] { found += numbers }
        if !parents.isEmpty, let numbers = parents[item.parent] { found += numbers }
        if !paths.isEmpty {
            var state = hash.start
            for place in 0..<min(path.count, paths.longest) {
                state = hash.next(state, path[place])
                paths.append(state, length: place + 1, to: &found)
            }
        }
        exact.appendCandidates(item.name, to: &found)
        if !folded.isEmpty { TextPattern.folded(item.name) { folded.appendCandidates($0, to: &found) } }
    }
}

/// Queries filed by literals that a text contains.
private struct TextIndex {
    private var equal: [UInt64: [Int]] = [:]
    private var prefixes = LiteralIndex()
    private var suffixes = LiteralIndex()
    /// By three consecutive bytes of the literal, those with the fewest other queries: ten thousand literals with equal
    /// beginnings have different ends. A shorter literal is filed by all its bytes.
    private var infixes: [UInt32: [Int]] = [:]
    /// The numbers of queries filed by one, two and three bytes.
    private var infixCounts = [0, 0, 0, 0]
    private let hash: ByteHash
    private var count = 0

    private static let gram = 3

    init(hash: ByteHash) { self.hash = hash }

    var isEmpty: Bool { count == 0 }

    mutating func change(_ number: Int, _ demand: NameDemand, isAdded: Bool) {
        count += isAdded ? 1 : -1
        func body(_ list: inout [Int]) {
            if isAdded {
                list.append(number)
            } else if let place = list.lastIndex(of: number) {
                list.remove(at: place)
            }
        }
        let bytes = demand.bytes
        switch demand.match {
        case .equal: Self.change(&equal, hash(bytes), body)
        case .prefix: prefixes.change(hash(bytes), length: bytes.count, body)
        case .suffix: suffixes.change(hash(bytes.reversed()), length: bytes.count, body)
        case .infix:
            let length = min(bytes.count, Self.gram)
            let grams = (0...(bytes.count - length)).map { place in
                bytes[place..<place + length].reduce(UInt32(length)) { $0 << 8 | UInt32($1) }
            }
            if isAdded {
                let fewest = grams.min { (infixes[$0]?.count ?? 0) < (infixes[$1]?.count ?? 0) }
                guard let fewest else { return }
                infixes[fewest, default: []].append(number)
                infixCounts[length] += 1
                return
            }
            // The query may be filed here for another of its literals. It is removed from all of them together.
            for gram in grams where infixes[gram]?.contains(number) ?? false {
                var removed = 0
                Self.change(&infixes, gram) { numbers in
                    removed = numbers.count
                    numbers.removeAll { $0 == number }
                    removed -= numbers.count
                }
                infixCounts[length] -= removed
            }
        }
    }

    fileprivate static func change<Key>(_ lists: inout [Key: [Int]], _ key: Key, _ body: (inout [Int]) -> Void) {
        body(&lists[key, default: []])
        if lists[key]?.isEmpty ?? false { lists[key] = nil }
    }

    func appendCandidates(_ name: UnsafeRawBufferPointer, to found: inout [Int]) {
        if !equal.isEmpty || !prefixes.isEmpty {
            var state = hash.start
            for place in 0..<(equal.isEmpty ? min(prefixes.longest, name.count) : name.count) {
                state = hash.next(state, name[place])
                prefixes.append(state, length: place + 1, to: &found)
            }
            if !equal.isEmpty, let numbers = equal[state] { found += numbers }
        }
        if !suffixes.isEmpty {
            var state = hash.start
            for length in 1...max(1, min(suffixes.longest, name.count)) where length <= name.count {
                state = hash.next(state, name[name.count - length])
                suffixes.append(state, length: length, to: &found)
            }
        }
        for length in 1...Self.gram where infixCounts[length] > 0 && name.count >= length {
            var gram: UInt32 = 0
            let mask: UInt32 = length == 3 ? 0xFF_FFFF : length == 2 ? 0xFFFF : 0xFF
            for place in 0..<name.count {
                gram = (gram << 8 | UInt32(name[place])) & mask
                if place + 1 >= length, let numbers = infixes[gram | UInt32(length) << UInt32(8 * length)] {
                    found += numbers
                }
            }
        }
    }
}

/// Queries by the hash of a literal at one end of a name. The existing lengths tell which beginnings of a name to look
/// up.
private struct LiteralIndex {
    /// Folded, a name may have several times as many bytes.
    private static let longestName = 4 * FileNameLimits.mostBytes
    private var lists: [UInt64: [Int]] = [:]
    private var lengths: [Int] = []
    private let mostLengths: Int
    /// The greatest existing length.
    private(set) var longest = 0

    /// Longer literals are not filed: no looked-up text has so many bytes.
    init(longest: Int = LiteralIndex.longestName) { mostLengths = longest + 1 }

    var isEmpty: Bool { lists.isEmpty }

    mutating func change(_ key: UInt64, length: Int, _ body: (inout [Int]) -> Void) {
        guard length < mostLengths else { return }
        if lengths.count <= length { lengths += [Int](repeating: 0, count: length + 1 - lengths.count) }
        let before = lists[key]?.count ?? 0
        TextIndex.change(&lists, key, body)
        lengths[length] += (lists[key]?.count ?? 0) - before
        longest = lengths.lastIndex { $0 > 0 } ?? 0
    }

    @inline(__always)
    func append(_ key: UInt64, length: Int, to found: inout [Int]) {
        if length < lengths.count, lengths[length] > 0, let numbers = lists[key] { found += numbers }
    }
}
