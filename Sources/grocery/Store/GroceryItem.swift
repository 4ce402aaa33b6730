// An item of the list, as its file has it.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit

/// An item: its identifier from the file's name, its name from the file's text, its tags from the daemon.
struct GroceryItem: Sendable {
    let identifier: ItemIdentifier
    let path: String
    let name: String
    let tags: [String]
    let modified: Timestamp?
    let owner: String?

    /// The item in the file that the daemon listed; nil where that has no such name, or has gone since.
    init?(_ item: MetadataItem) {
        guard let fileName = item.name, fileName.hasPrefix(ItemIdentifier.filePrefix), let path = item.path,
            let name = ItemFile.name(at: path)
        else { return nil }
        identifier = ItemIdentifier(text: String(fileName.dropFirst(ItemIdentifier.filePrefix.count)))
        self.path = path
        self.name = name
        tags = item.tags ?? []
        modified = item.modified
        owner = item.owner
    }

    /// The line that shows it: names come from files that anybody who shares the list may write.
    var line: String {
        let tags = tags.isEmpty ? "" : "  [\(tags.map { DisplayText.escaped($0) }.joined(separator: ", "))]"
        return DisplayText.escaped(name) + tags
    }
}

extension [GroceryItem] {
    /// By name, as people read lists, and then by identifier.
    func sortedByName() -> [GroceryItem] {
        map { (key: $0.name.lowercased(), item: $0) }
            .sorted { ($0.key, $0.item.identifier.text) < ($1.key, $1.item.identifier.text) }
            .map(\.item)
    }

    /// The one item that `part` names: its whole name or identifier, or else any part of either.
    func named(_ part: String) throws(Problem) -> GroceryItem {
        let key = part.lowercased()
        guard !key.isEmpty else { throw Problem("name an item by a part of its name or identifier", status: 64) }
        var found = filter { $0.name.lowercased() == key || $0.identifier.text.lowercased() == key }
        if found.isEmpty {
            found = filter {
                $0.name.lowercased().contains(key) || $0.identifier.text.lowercased().contains(key)
            }
        }
        switch found.count {
        case 1: return found[0]
        case 0: throw Problem("nothing on the list is called '\(DisplayText.escaped(part))'")
        default:
            let shown = found.sortedByName().prefix(10).map {
                "  \($0.identifier.text.prefix(8))  \(DisplayText.escaped($0.name))"
            }
            let more = found.count > 10 ? ["  … and \(found.count - 10) more"] : []
            throw Problem(
                """
                '\(DisplayText.escaped(part))' could be \(found.count) items; use more of the name, or the identifier:
                \((shown + more).joined(separator: "\n"))
                """)
        }
    }
}
