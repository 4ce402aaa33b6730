// Sort keys as bytes whose plain order is the order asked for.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import MetadataIndex

/// Writes what a row is sorted by as bytes, so that one comparison of bytes decides between two rows whatever the keys are.
/// Each key begins with whether there is a value, and no key's bytes begin with all bytes of another's; so keys can stand
/// one behind the other, and a descending one has all its bits inverted.
struct SortKeyWriter {
    private let order: SortOrder
    private let snapshot: IndexSnapshot
    private let environment: PlanEnvironment
    private(set) var bytes: [UInt8] = []
    private var text: [UInt8] = []
    private var names: [UInt64: [UInt8]] = [:]

    init(_ order: SortOrder, _ snapshot: IndexSnapshot, _ environment: PlanEnvironment) {
        self.order = order
        self.snapshot = snapshot
        self.environment = environment
    }

    /// Writes the key of a row into ``bytes``.
    mutating func write(_ row: Row) {
        bytes.removeAll(keepingCapacity: true)
        for key in order.keys {
            let start = bytes.count
            write(key.attribute, row)
            if !key.isAscending { for index in start..<bytes.count { bytes[index] = ~bytes[index] } }
        }
    }

    private static let missing: UInt8 = 0
    private static let present: UInt8 = 1

    private mutating func write(_ attribute: Attribute, _ row: Row) {
        switch attribute {
        case .name, .displayName:
            text.removeAll(keepingCapacity: true)
            snapshot.withName(of: row) { text.append(contentsOf: $0) }
            writeText()
        case .fileExtension:
            text.removeAll(keepingCapacity: true)
            snapshot.withName(of: row) { name in
                if let part = DerivedText.fileExtension(of: name) { text.append(contentsOf: part) }
            }
            if text.isEmpty { bytes.append(Self.missing) } else { writeText() }
        case .path:
            text.removeAll(keepingCapacity: true)
            text.append(contentsOf: environment.rootPath)
            text.append(UInt8(ascii: "/"))
            snapshot.appendPath(of: row, to: &text)
            writeText()
        case .kind:
            text = Array(snapshot.kind(of: row).name.description.utf8)
            writeText()
        case .owner, .group:
            let status = snapshot.status(of: row)
            text = accountName(attribute == .owner ? status.owner : status.group, isGroup: attribute == .group)
            writeText()
        case .tags: writeTags(environment.tags(of: row, in: snapshot) ?? [])
        case .id: write(snapshot.identifier(of: row))
        case .parent:
            let parent = snapshot.parent(of: row)
            write(parent == .root ? nil : snapshot.identifier(of: parent))
        case .container:
            text = Array(environment.container.utf8)
            writeText()
        case .scope:
            text.removeAll(keepingCapacity: true)
            snapshot.appendPath(of: row, to: &text)
            // 'data' comes before 'documents'.
            bytes.append(DerivedText.isInDocuments(text) ? 1 : 0)
        case .hidden: bytes.append(snapshot.withName(of: row) { DerivedText.isHidden($0) } ? 1 : 0)
        case .depth: writeNumber(Int64(snapshot.depth(of: row)))
        case .size: writeNumber(snapshot.status(of: row).size)
        case .created: writeNumber(snapshot.status(of: row).created?.nanoseconds)
        case .modified: writeNumber(snapshot.status(of: row).modified.nanoseconds)
        case .changed: writeNumber(snapshot.status(of: row).changed.nanoseconds)
        case .ownerID: writeNumber(Int64(snapshot.status(of: row).owner))
        case .groupID: writeNumber(Int64(snapshot.status(of: row).group))
        case .mode: writeNumber(Int64(snapshot.status(of: row).mode))
        case .inode: writeNumber(Int64(clamping: snapshot.status(of: row).inode))
        case .device: writeNumber(Int64(clamping: snapshot.status(of: row).device))
        case .links: writeNumber(Int64(snapshot.status(of: row).links))
        }
    }

    private mutating func accountName(_ number: UInt32, isGroup: Bool) -> [UInt8] {
        let key = UInt64(number) << 1 | (isGroup ? 1 : 0)
        if let name = names[key] { return name }
        let name = isGroup ? environment.accounts.group(number) : environment.accounts.user(number)
        names[key] = name
        return name
    }

    private mutating func write(_ identifier: ItemIdentifier?) {
        // Of two occupants of a row only one lives.
        writeNumber(identifier.map { Int64($0.row.number) })
    }

    private mutating func writeNumber(_ number: Int64?) {
        guard let number else {
            bytes.append(Self.missing)
            return
        }
        bytes.append(Self.present)
        let bits = UInt64(bitPattern: number) ^ 1 << 63
        for shift in stride(from: 56, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt64(shift)))
        }
    }

    private mutating func writeTags(_ tags: [String]) {
        for tag in tags {
            text = Array(tag.utf8)
            writeText()
        }
        bytes.append(Self.missing)
    }

    /// Writes `text`: in natural order, then as it is.
    private mutating func writeText() {
        bytes.append(Self.present)
        NaturalOrder.append(text, to: &bytes)
        if text.contains(where: { $0 <= 1 }) {
            for byte in text { NaturalOrder.append(escaping: byte, to: &bytes) }
        } else {
            bytes.append(contentsOf: text)
        }
        bytes.append(NaturalOrder.end)
    }
}

/// Natural order as bytes.
enum NaturalOrder {
    /// Comes before everything that can stand in its place.
    static let end: UInt8 = 0

    /// Appends text so that digits count as numbers and case does not count. A number is a `0`, how many digits it has
    /// without leading zeros, and these; so it stands among other characters where digits do. An end follows.
    static func append(_ text: [UInt8], to bytes: inout [UInt8]) {
        var place = 0
        while place < text.count {
            let byte = text[place]
            guard isDigit(byte) else {
                append(escaping: isCapital(byte) ? byte | 0x20 : byte, to: &bytes)
                place += 1
                continue
            }
            var start = place
            while place < text.count, isDigit(text[place]) { place += 1 }
            while start < place - 1, text[start] == UInt8(ascii: "0") { start += 1 }
            bytes.append(UInt8(ascii: "0"))
            // 255 bytes hold the number of digits in steps of 254: a larger number of digits has more full steps.
            var count = place - start
            while count >= 255 {
                bytes.append(255)
                count -= 254
            }
            bytes.append(UInt8(truncatingIfNeeded: count))
            bytes.append(contentsOf: text[start..<place])
        }
        bytes.append(end)
    }

    /// Appends a byte so that it is not taken for an end.
    static func append(escaping byte: UInt8, to bytes: inout [UInt8]) {
        if byte <= 1 { bytes.append(1) }
        bytes.append(byte == 0 ? 1 : byte == 1 ? 2 : byte)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
    private static func isCapital(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") }
}
