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

    /// The identifier of the list's container.
    var identifier: ContainerIdentifier {
        if let container { return ContainerIdentifier(container) }
        if let name = getenv("GROCERY_CONTAINER"), name.pointee != 0 {
            return ContainerIdentifier(String(cString: name))
        }
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
        let container: Container
        do throws(GatherError) {
            container = try await Container(identifier: identifier, daemon: daemon)
        } catch {
            throw NoList(error, self) ?? error
        }
        let settings = try await ListSettings.read(container)
        return (try GroceryList(container: container, list: listName(settings)), settings)
    }

    /// The daemon that has the list.
    var daemon: Daemon { socket.map { .at(path: $0) } ?? .automatic }
    var client: GatherClient { GatherClient(daemon: daemon) }

    /// Whether the user named the socket.
    var isSocketChosen: Bool { socket != nil || getenv("GATHER_SOCKET").map { $0.pointee != 0 } == true }

    /// The options of the container and the socket, for a suggested command.
    var words: String {
        (container.map { " --container \(ShellText.quoted($0))" } ?? "")
            + (socket.map { " --socket \(ShellText.quoted($0))" } ?? "")
    }

    /// Returns the list.
    func list() async throws -> GroceryList { try await open().list }
}
