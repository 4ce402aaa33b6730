// The contents of items for other programs, and the items that cannot be read.
// SPDX-License-Identifier: Apache-2.0

internal import GatherDocuments
internal import GroceryModel

/// The contents of items. An item that cannot be read keeps no other one from the output.
struct ReadItems {
    private(set) var items: [ExportedItem] = []
    private var failures: [String] = []

    /// Reads the contents of items in their order. Those that are removed meanwhile are left out.
    init(_ listed: [GroceryItem], of list: GroceryList) async throws {
        for item in listed {
            do {
                var contents = try await list.contents(of: item.id)
                // A file without a name could not be imported again.
                if item.name == GroceryItem.unnamed { contents.name = item.name }
                items.append(ExportedItem(id: item.id, contents: contents, conflictVersions: item.conflictVersions))
            } catch let error as DocumentError {
                if error.code != .notFound { failures.append("\(item.title) is left out: \(error.message)") }
            }
        }
    }

    /// Ends with an error if an item could not be read, after naming each.
    func requireAll() throws(Problem) {
        for failure in failures.dropLast() { Output.note(failure) }
        if let last = failures.last { throw Problem(last) }
    }
}
