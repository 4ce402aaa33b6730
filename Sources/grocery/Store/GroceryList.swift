// The list: a container, and what the daemon says is in it.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherKit
internal import Glibc

/// Which list is meant.
struct ListOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The container of the list; else GROCERY_CONTAINER, else grocery.", valueName: "id"))
    var container: String?

    @Option(help: ArgumentHelp("The daemon's socket.", valueName: "path"))
    var socket: String?

    private var identifier: String {
        if let container { return container }
        if let name = getenv("GROCERY_CONTAINER"), name.pointee != 0 { return String(cString: name) }
        return "grocery"
    }

    /// The list, or the one command that makes it.
    func list() async throws -> GroceryList {
        let client = GatherClient(socket: socket.map { DaemonSocket(path: $0) } ?? .find())
        let container: Container
        do throws(GatherError) {
            container = try await Container(identifier: identifier, client: client)
        } catch {
            guard error.code == .noSuchContainer else { throw error }
            let option = socket.map { " --socket \($0)" } ?? ""
            throw Problem(
                "there is no container '\(identifier)'. Make it with: gather container add\(option) \(identifier) DIRECTORY"
            )
        }
        return GroceryList(container: container)
    }
}

/// The list in one container.
struct GroceryList: Sendable {
    let container: Container

    /// What matches every item and nothing else.
    static let predicate = "name BEGINSWITH 'Item_' AND kind == 'file'"
    static let attributes: [Attribute] = [.name, .path, .tags, .modified, .owner]

    /// Where the daemon looks for items.
    var scope: SearchScope { .documents(ofContainer: container.identifier) }

    /// The items, by name. The daemon is asked what there is, and what is asked of it counts every change made before; only
    /// the texts come from the files.
    func items(tag: TagName? = nil) async throws(GatherError) -> [GroceryItem] {
        var predicate = GroceryList.predicate
        if let tag { predicate += " AND ANY tags == \(PredicateText.literal(tag.text))" }
        let found = try await container.client.find(predicate, scopes: [scope], attributes: GroceryList.attributes)
        return found.items.compactMap { GroceryItem($0) }.sortedByName()
    }
}
