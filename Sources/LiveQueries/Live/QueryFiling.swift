// Live queries filed by what they demand, so that a change meets only those that it can touch.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import MetadataIndex

/// Queries, by number, filed first by the directory that they look below and then by what they demand of a name. What a
/// look-up finds is a superset of the queries that can match, each of them perhaps more than once.
struct QueryFiling {
    /// Of what lies anywhere.
    private var everywhere: NameFiling
    /// Of what lies below a directory, by the hash of its path. Two directories with one hash share a filing: their
    /// queries are tested for more changes than necessary, and answer all the same.
    private var below: [UInt64: NameFiling] = [:]
    private let hash: ByteHash
    private(set) var count = 0

    init() {
        hash = ByteHash(seed: .random(in: .min ... .max))
        everywhere = NameFiling(hash: hash)
    }

    /// Whether a look-up needs the path.
    var needsPath: Bool { !below.isEmpty }

    mutating func file(_ number: Int, _ plan: QueryPlan) {
        count += 1
        guard let directories = plan.scope.directories else {
            everywhere.file(number, plan.demand)
            return
        }
        for directory in directories {
            below[hash(directory), default: NameFiling(hash: hash)].file(number, plan.demand)
        }
    }

    mutating func unfile(_ number: Int, _ plan: QueryPlan) {
        count -= 1
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

    /// Appends the queries that an item can match. `path` may be empty where ``needsPath`` is false.
    func appendCandidates(
        name: UnsafeRawBufferPointer, kind: FileKind, path: [UInt8], to found: inout [Int]
    ) {
        if count == 0 { return }
        everywhere.appendCandidates(name, kind, to: &found)
        if below.isEmpty { return }
        var state = hash.start
        for byte in path {
            if byte == UInt8(ascii: "/"), let filing = below[state] {
                filing.appendCandidates(name, kind, to: &found)
            }
            state = hash.next(state, byte)
        }
    }
}

/// A hash that grows with each byte. Seeded, so that nobody can choose texts that collide.
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

/// Queries filed by what they demand of an item's name; those that demand nothing of it, by kind.
private struct NameFiling {
    private var equal: [UInt64: [Int]] = [:]
    private var prefixes = LiteralFiling()
    private var suffixes = LiteralFiling()
    /// By the first three bytes of the literal.
    private var infixes: [UInt32: [Int]] = [:]
    /// By the raw value of the kind.
    private var rest = [[Int]](repeating: [], count: FileKind.allCases.count)
    private let hash: ByteHash
    private var count = 0

    private static let gram = 3

    init(hash: ByteHash) { self.hash = hash }

    var isEmpty: Bool { count == 0 }

    mutating func file(_ number: Int, _ demand: PlanDemand) {
        count += 1
        change(demand) { $0.append(number) }
    }

    mutating func unfile(_ number: Int, _ demand: PlanDemand) {
        count -= 1
        change(demand) { list in
            if let place = list.lastIndex(of: number) { list.remove(at: place) }
        }
    }

    /// Changes the lists that a query with this demand stands in.
    private mutating func change(_ demand: PlanDemand, _ body: (inout [Int]) -> Void) {
        guard let names = demand.names, names.allSatisfy({ $0.match != .infix || $0.bytes.count >= Self.gram }) else {
            for kind in FileKind.allCases where demand.kinds >> UInt16(kind.rawValue) & 1 != 0 {
                body(&rest[Int(kind.rawValue)])
            }
            return
        }
        for name in names {
            switch name.match {
            case .equal: Self.change(&equal, hash(name.bytes), body)
            case .prefix: prefixes.change(hash(name.bytes), length: name.bytes.count, body)
            case .suffix: suffixes.change(hash(name.bytes.reversed()), length: name.bytes.count, body)
            case .infix: Self.change(&infixes, Self.gram(name.bytes[0], name.bytes[1], name.bytes[2]), body)
            }
        }
    }

    fileprivate static func change<Key>(_ lists: inout [Key: [Int]], _ key: Key, _ body: (inout [Int]) -> Void) {
        body(&lists[key, default: []])
        if lists[key]?.isEmpty ?? false { lists[key] = nil }
    }

    private static func gram(_ a: UInt8, _ b: UInt8, _ c: UInt8) -> UInt32 {
        UInt32(a) << 16 | UInt32(b) << 8 | UInt32(c)
    }

    func appendCandidates(_ name: UnsafeRawBufferPointer, _ kind: FileKind, to found: inout [Int]) {
        found += rest[Int(kind.rawValue)]
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
            for length in 1...max(1, min(suffixes.longest, name.count)) {
                state = hash.next(state, name[name.count - length])
                suffixes.append(state, length: length, to: &found)
            }
        }
        if !infixes.isEmpty, name.count >= Self.gram {
            for place in 0...(name.count - Self.gram) {
                if let numbers = infixes[Self.gram(name[place], name[place + 1], name[place + 2])] { found += numbers }
            }
        }
    }
}

/// Queries by the hash of a literal that stands at one end of a name. The lengths that there are tell which of a name's
/// beginnings are worth a look.
private struct LiteralFiling {
    private var lists: [UInt64: [Int]] = [:]
    private var lengths = [Int](repeating: 0, count: 256)
    /// The greatest length that there is.
    private(set) var longest = 0

    var isEmpty: Bool { lists.isEmpty }

    mutating func change(_ key: UInt64, length: Int, _ body: (inout [Int]) -> Void) {
        // No name is longer than 255 bytes.
        guard length < lengths.count else { return }
        let before = lists[key]?.count ?? 0
        NameFiling.change(&lists, key, body)
        lengths[length] += (lists[key]?.count ?? 0) - before
        longest = lengths.lastIndex { $0 > 0 } ?? 0
    }

    @inline(__always)
    func append(_ key: UInt64, length: Int, to found: inout [Int]) {
        if lengths[length] > 0, let numbers = lists[key] { found += numbers }
    }
}
