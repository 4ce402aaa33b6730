// The summary of an item in an extended attribute, so that a list is shown without reading files.
// SPDX-License-Identifier: Apache-2.0

package import GatherDocuments

/// The fields of an item that a list shows.
package struct ItemSummary: Sendable, Hashable {
    package var name: String
    package var quantity: String
    package var isBought: Bool
    package var tags: [String]

    package init(_ contents: ItemContents) {
        name = contents.name
        quantity = contents.quantity
        isBought = contents.isBought
        tags = contents.tags
    }

    /// Makes the summary of a file that cannot be read as an item.
    init(unreadable id: ItemIdentifier) { self.init(ItemContents(name: "(unreadable) \(id.short)")) }

    /// The attribute `user.gather.grocery`. Its value has the name, the quantity, `1` if it is bought, the tags, and the size and
    /// the time of the file that it was made from, separated by tabs.
    package static let attributeName: ExtendedAttributeName = {
        guard let name = ExtendedAttributeName("gather.grocery") else { preconditionFailure("a name without NUL") }
        return name
    }()

    /// The value for a file with this stamp. Nil if it is too long, or if the fields have control characters.
    func bytes(_ stamp: ContentsStamp) -> [UInt8]? {
        let fields = [name, quantity, isBought ? "1" : "", tags.joined(separator: ","), ItemSummary.text(stamp)]
        let bytes = Array(fields.joined(separator: "\t").utf8)
        guard bytes.count <= GroceryLimits.summaryBytes, bytes.count(where: { $0 == 9 }) == fields.count - 1,
            !bytes.contains(where: { $0 < 32 && $0 != 9 })
        else { return nil }
        return bytes
    }

    /// Reads a value. Nil if it does not belong to a file with this stamp.
    init?(_ value: String, _ stamp: ContentsStamp) {
        // Bytes: characters would take three times as long for a list of 10,000 items.
        let fields = value.utf8.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
        guard fields.count == 5, let dot = fields[4].firstIndex(of: UInt8(ascii: ".")),
            Int64(Substring(fields[4][..<dot])) == stamp.size,
            Int64(Substring(fields[4][fields[4].index(after: dot)...])) == stamp.modified.nanoseconds
        else { return nil }
        name = String(Substring(fields[0]))
        quantity = String(Substring(fields[1]))
        isBought = fields[2].elementsEqual("1".utf8)
        tags = fields[3].split(separator: UInt8(ascii: ",")).map { String(Substring($0)) }
    }

    private static func text(_ stamp: ContentsStamp) -> String { "\(stamp.size).\(stamp.modified.nanoseconds)" }
}
