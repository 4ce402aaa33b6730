// Questions in great number, in all the ways in which the registry of live queries files them, and the meaning of each.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import IdentityModel
import TestSupport

/// The demands of a predicate, as written and as meant: on the name, and on the kind and the size or not.
private struct Demand: Sendable {
    private enum Form: CaseIterable { case equal, among, begins, ends, contains, like, folded, none }

    private static let kinds = ["file", "directory", "symlink", "fifo"]
    /// The fragments of which the churn makes names.
    private static let fragments = [
        "Item_", "tem", "f", "d", ".txt", "x", "_", "a", "saved", "real", "ITEM", "item_", "e",
    ]
    private static let names =
        (0..<5).map { "Item_\($0)" } + (0..<6).map { "f\($0)" } + (0..<4).map { "d\($0)" }
        + ["a.txt", "b.txt", "c.txt", "ITEM_X", ".hidden", " ", "backup~"]

    private let form: Form
    private let texts: [Bytes]
    private var kind: String?
    private var size: Int?

    /// Each with its number, of which there is no file, or with what there may be one of.
    init(number: Int, _ random: inout SeededGenerator) {
        let isNever = random.chance(1, in: 2)
        form = random.one(of: isNever ? Form.allCases.dropLast() : Form.allCases)
        let fragment = isNever ? "\(random.one(of: Demand.fragments))\(number + 100)" : random.one(of: Demand.fragments)
        let name = isNever ? "\(random.one(of: Demand.names))-\(number)" : random.one(of: Demand.names)
        texts =
            switch form {
            case .equal: [Bytes(name)]
            case .among: [Bytes(name), Bytes("nobody-\(number)")]
            case .like: [Bytes(String(name.prefix(1))), Bytes(fragment)]
            case .begins, .ends, .contains, .folded: [Bytes(fragment)]
            case .none: []
            }
        if form == .none || random.chance(1, in: 3) { kind = random.one(of: Demand.kinds) }
        if random.chance(1, in: 4) { size = Int.random(in: 0...200, using: &random) }
    }

    var predicate: String {
        let quoted = texts.map { "'" + String(decoding: $0, as: UTF8.self) + "'" }
        var parts: [String] = []
        switch form {
        case .equal: parts.append("name == \(quoted[0])")
        case .among: parts.append("name IN {\(quoted.joined(separator: ", "))}")
        case .begins: parts.append("name BEGINSWITH \(quoted[0])")
        case .ends: parts.append("name ENDSWITH \(quoted[0])")
        case .contains: parts.append("name CONTAINS \(quoted[0])")
        case .like: parts.append("name LIKE '\(quoted[0].dropFirst().dropLast())*\(quoted[1].dropFirst().dropLast())*'")
        case .folded: parts.append("name BEGINSWITH[c] \(quoted[0])")
        case .none: break
        }
        if let kind { parts.append("kind == '\(kind)'") }
        if let size { parts.append("size > \(size)") }
        return parts.joined(separator: " AND ")
    }

    func holds(_ entry: Entry) -> Bool {
        if let kind, kind != entry.kind { return false }
        if let size, size >= entry.size { return false }
        return admits(entry.name)
    }

    /// In bytes: the text that is looked for is of ASCII, which is no part of another character.
    func admits(_ name: Bytes) -> Bool {
        switch form {
        case .equal, .among: texts.contains(name)
        case .begins: name.has(texts[0], at: 0)
        case .ends: name.has(texts[0], at: name.count - texts[0].count)
        case .contains: name.has(texts[0], from: 0)
        case .like: name.has(texts[0], at: 0) && name.has(texts[1], from: texts[0].count)
        case .folded: name.map(Demand.lower).has(texts[0].map(Demand.lower), at: 0)
        case .none: true
        }
    }

    private static func lower(_ byte: UInt8) -> UInt8 {
        UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte + 32 : byte
    }
}

extension Bytes {
    fileprivate func has(_ part: Bytes, at place: Int) -> Bool {
        guard place >= 0, place + part.count <= count else { return false }
        return withUnsafeBytes { own in
            part.withUnsafeBytes { memcmp(own.baseAddress! + place, $0.baseAddress!, $0.count) == 0 }
        }
    }

    fileprivate func has(_ part: Bytes, from first: Int) -> Bool {
        var place = first
        while place + part.count <= count {
            if has(part, at: place) { return true }
            place += 1
        }
        return false
    }
}

extension Question {
    /// So many questions, the first of them about everything. Half of the others are about names that are never made; a third look
    /// below a directory only, which may be there or not.
    static func many(_ count: Int, box: Bytes, areas: Int, seed: UInt64) -> [Question] {
        var random = SeededGenerator(seed: seed, 4)
        return [everything]
            + (1..<max(2, count)).map { number in
                let demand = Demand(number: number, &random)
                var scope: Bytes?
                if random.chance(1, in: 3) {
                    var directory = box.entry(Bytes("thread\(Int.random(in: 0..<areas, using: &random))"))
                    for _ in 0..<Int.random(in: 0...2, using: &random) {
                        directory = directory.entry(Bytes("d\(Int.random(in: 0..<4, using: &random))"))
                    }
                    scope = directory
                }
                let below = scope.map { $0 + [UInt8(ascii: "/")] }
                return Question(
                    name: "\(number): \(demand.predicate)", predicate: demand.predicate,
                    scope: scope.map { String(decoding: $0, as: UTF8.self) },
                    attributes: random.one(of: [[], ["size"], ["kind", "size", "modified"]]),
                    admits: { demand.admits($0) },
                    holds: { entry in (below.map { entry.path.has($0, at: 0) } ?? true) && demand.holds(entry) })
            }
    }
}
