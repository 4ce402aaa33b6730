// grocery init: all that a first list needs.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherDocuments
internal import GroceryModel

struct InitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Make the first list: start gatherd, make a directory, and have it watched.",
        discussion: """
            Does what is missing, and says what it did. It asks before it starts a service or makes a directory. Where everything is \
            there, it changes nothing.

            EXAMPLES
              grocery init
              grocery init ~/Shopping
              grocery init --yes /srv/household/grocery
            """)

    @Argument(help: "The directory of the list; without it, Grocery in the home directory.", completion: .directory)
    var directory: String?

    @Flag(name: .shortAndLong, help: "Do not ask.")
    var yes = false

    @OptionGroup var options: ListOptions

    mutating func run() async throws {
        let setup = FirstList(options: options, directory: directory, asks: !yes)
        Output.print(try await setup.make())
    }
}
