// grocery serve: the list as a page for browsers.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherDocuments
internal import GroceryModel
internal import GroceryPage

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Offer the list as a page for phones and other browsers, until Ctrl-C.",
        discussion: """
            Prints a link that opens the page. Without --address only browsers on this machine can open it. The link has a secret, \
            since each user of this machine can connect to it: all who have the link can read and change the list. The link stays \
            valid, also after a restart, until --new-link makes another.

            The page works without network once it was opened over https or on this machine itself. Over http, keep it open: \
            ticks and additions wait in the page.

            EXAMPLES
              grocery serve
              grocery serve --address 0.0.0.0
              grocery serve --address 192.168.1.5 --host kitchen.lan
            """)

    @Option(help: "The address to listen on; 0.0.0.0 or :: for all of this machine.")
    var address = PageServer.loopback

    @Option(help: "The port; 0 for any that is free.")
    var port = PageServer.standardPort

    @Option(
        name: .customLong("host"),
        help: "A host name under which browsers reach the page, such as that of a proxy with https. May be repeated.")
    var hosts: [String] = []

    @Flag(help: "Make a new secret. Links with the former one do not open the list any more.")
    var newLink = false

    @OptionGroup var options: ListOptions

    mutating func run() async throws {
        do {
            let list = try await options.list()
            let token = try PageTokenFile.token(at: tokenPath(list.name), isNew: newLink)
            let server = try PageServer(
                list: list, address: address, port: port, token: token, names: hosts, report: Output.note)
            let running = Task {
                try await server.run { links in
                    Output.print(links.lines)
                    Output.note("Ctrl-C ends the server")
                }
            }
            try EndSignals.install { running.cancel() }
            try await running.value
        } catch let error as PageServerError {
            throw Problem(error.message)
        } catch let error as GroceryError {
            throw Problem(error.message)
        }
    }

    /// The file of the secret: one for each list, since others may have the link of another list.
    private func tokenPath(_ list: String) throws -> String {
        let name = "token-" + list.map { $0 == "/" ? "_" : String($0) }.joined()
        guard let state = StateDirectory.path else {
            throw Problem("the secret of the link has no place; set HOME or XDG_STATE_HOME")
        }
        return "\(state)/grocery/\(name)"
    }
}
