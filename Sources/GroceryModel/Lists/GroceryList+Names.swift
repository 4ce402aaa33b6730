// The lists of a container.
// SPDX-License-Identifier: Apache-2.0

package import GatherDocuments

extension GroceryList {
    /// Returns the names of the lists in a container with the numbers of their items: first the items in the documents folder itself,
    /// whose name is nil, then packages and folders that have items, by name.
    package static func lists(in container: Container) async throws -> [(name: String?, items: Int)] {
        let found = try await container.client.find(
            "(name BEGINSWITH 'Item_' OR name ENDSWITH '\(packageEnding)') AND \(anywhere)",
            scopes: [.documents(ofContainer: container.identifier)], attributes: [.path])
        if found.inexactContainers.contains(container.identifier) { try await container.requirePresent() }
        let home = "\(container.data)/Documents/".utf8
        var (counts, own) = ([String: Int](), 0)
        for path in found.items.compactMap(\.path) where path.utf8.starts(with: home) {
            let parts = String(Substring(path.utf8.dropFirst(home.count))).split(separator: "/")
            let isPackage = parts.first?.hasSuffix(packageEnding) == true
            let isItem = parts.last.map { ItemIdentifier(fileName: $0) != nil } ?? false
            switch (parts.count, isPackage, isItem) {
            case (1, false, true): own += 1
            case (1, true, false): counts[String(parts[0].dropLast(packageEnding.count)), default: 0] += 0
            case (2, false, true): counts[String(parts[0]), default: 0] += 1
            case (3, true, true) where parts[1] == "items":
                counts[String(parts[0].dropLast(packageEnding.count)), default: 0] += 1
            default: break
            }
        }
        return [(nil, own)] + counts.sorted { NameOrder($0.key) < NameOrder($1.key) }.map { ($0.key, $0.value) }
    }
}
