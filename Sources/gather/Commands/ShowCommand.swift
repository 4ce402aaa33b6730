// gather show: every attribute of files.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherKit

struct ShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Print every attribute of files.",
        discussion: """
            As mdls lays them out: one 'name = value' a line, lists in parentheses, (null) where there is no value. A \
            symbolic link is shown itself, not what it leads to.

            EXAMPLES
              gather show notes.txt
              gather show Documents/*.pdf --attributes name,size,tags
              gather show . --json | jq .modified
            """)

    @Argument(help: ArgumentHelp("The files.", valueName: "path"))
    var paths: [String]

    @Option(help: ArgumentHelp("Print these attributes: a,b,c.", valueName: "names"))
    var attributes: AttributeList?

    @Flag(help: "Print one JSON object a line.")
    var json = false

    @Flag(name: .customLong("no-sync"), help: "Take what is known at once, without waiting for what is being read.")
    var withoutSync = false

    @OptionGroup var connection: ConnectionOptions

    mutating func run() throws {
        var client = try connection.connect()
        let shown = attributes?.attributes ?? Attribute.fixed.sorted { $0.name < $1.name }
        var output = Output()
        var status: Int32 = 0
        var isFirst = true
        var bytes = ArgumentBytes()
        for path in paths {
            do {
                let place = try FilePlace(bytes.bytes(of: path), text: path)
                let item = try find(place, shown, &client)
                if json {
                    output.line(item.json(shown))
                } else {
                    if !isFirst { output.line("") }
                    for line in ItemListing.lines(shown, of: item) { output.line(line) }
                }
                isFirst = false
            } catch let failure as Failure {
                // The others are shown all the same.
                output.flush()
                Output.note(failure.message)
                status = max(status, failure.status)
            }
        }
        output.flush()
        if status != 0 { throw ExitCode(status) }
    }

    private func find(
        _ place: FilePlace, _ shown: [Attribute], _ client: inout BlockingClient
    ) throws -> MetadataItem {
        let search = Search(
            predicate: place.predicate, scopes: place.scopes,
            attributes: shown + (shown.contains(.path) ? [] : [.path]),
            isSynchronized: !withoutSync)
        var found: MetadataItem?
        do {
            let summary = try client.find(search) { items in
                for item in items where item.pathBytes == place.path { found = item }
            }
            Inexact.note(summary.inexactContainers, connection.target)
        } catch let error as GatherError where error.code == .unknownScope {
            throw try missing(place, &client, isOutside: true)
        }
        guard let found else { throw try missing(place, &client, isOutside: false) }
        return found
    }

    /// Why a path is not there.
    private func missing(
        _ place: FilePlace, _ client: inout BlockingClient, isOutside: Bool
    ) throws -> Failure {
        let name = DisplayText.escaped(place.path)
        let containers = try client.containers()
        if let own = containers.first(where: { Array($0.path.utf8) == place.path }) {
            return Failure("\(name) is the directory of the container '\(own.identifier)', not an item in it")
        }
        if isOutside {
            let directory = place.directory.map { ShellText.quoted($0) } ?? "DIRECTORY"
            return Failure(
                "\(name) lies outside all containers. To watch it: gather container add\(connection.words) NAME \(directory)"
            )
        }
        return Failure("\(name) is not in the index: it is ignored, or you may not list its directory")
    }
}
