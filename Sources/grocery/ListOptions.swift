// The options that select a list.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherDocuments
internal import Glibc
internal import GroceryModel

/// The options that select a list.
struct ListOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The container of the list; else GROCERY_CONTAINER, else grocery.", valueName: "id"))
    var container: String?

    @Option(help: ArgumentHelp("A list of its own in the container; see: grocery settings.", valueName: "name"))
    var list: String?

    @Option(help: ArgumentHelp("The daemon's socket.", valueName: "path"))
    var socket: String?

    private var identifier: String {
        if let container { return container }
        if let name = getenv("GROCERY_CONTAINER"), name.pointee != 0 { return String(cString: name) }
        return "grocery"
    }

    /// The name of the list; nil for the items in the documents folder itself, which an empty `GROCERY_LIST` means, too.
    private func listName(_ settings: ListSettings) -> String? {
        if let list { return list }
        guard let name = getenv("GROCERY_LIST") else { return settings.list }
        return name.pointee == 0 ? nil : String(cString: name)
    }

    /// Returns the list and the settings of this user. If the container is missing, the error has the command that makes it.
    func open() async throws -> (list: GroceryList, settings: ListSettings) {
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
        let settings = try await ListSettings.read(container)
        return (try GroceryList(container: container, list: listName(settings)), settings)
    }

    /// Returns the list.
    func list() async throws -> GroceryList { try await open().list }
}
