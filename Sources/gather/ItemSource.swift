// The source of items for files that were named.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit

/// Finds the items of files: by a daemon, by an engine within this command for given directories, or by such an engine for
/// the directory of each file in turn.
struct ItemSource: ~Copyable {
    private let freshness: Freshness
    /// Whether each file's own directory is read, and nothing below it.
    private let readsByDirectory: Bool
    private var connection: Connection
    private var client: BlockingClient?
    /// The directory that was read last.
    private var directory: String?

    init(
        _ daemon: ConnectionOptions, _ embedding: EmbeddedOptions, _ directories: [String], freshness: Freshness
    ) throws {
        let readsByDirectory = embedding.embedded && directories.isEmpty
        let connection =
            embedding.embedded && !readsByDirectory
            ? try EmbeddedOptions.connection(directories) : daemon.target
        if freshness == .afterFlush, connection.embedded != nil { try connection.showProgress() }
        client = readsByDirectory ? nil : try connection.connect()
        self.freshness = freshness
        self.readsByDirectory = readsByDirectory
        self.connection = connection
    }

    /// Returns the item at a place. Throws ``Failure`` with the reason if there is none, and errors of the daemon.
    mutating func item(at place: FilePlace, _ shown: [Attribute]) throws -> MetadataItem {
        if readsByDirectory { try read(place) }
        guard var asked = client.take() else { throw Failure("the connection to gatherd has failed") }
        do {
            let item = try find(place, shown, &asked)
            client = consume asked
            return item
        } catch {
            client = consume asked
            throw error
        }
    }

    /// Reads the directory of a file, unless it was read last: a shell lists files by directory.
    private mutating func read(_ place: FilePlace) throws {
        guard let wanted = place.directory else {
            throw Failure("\(DisplayText.escaped(place.path)): its directory has no UTF-8 path, which --embedded needs")
        }
        guard wanted != directory else { return }
        client = nil
        connection.embedded?.daemon.close()
        directory = nil
        connection = try EmbeddedOptions.connection([wanted], descends: false)
        try connection.showProgress()
        client = try connection.connect()
        directory = wanted
    }

    private func find(
        _ place: FilePlace, _ shown: [Attribute], _ client: inout BlockingClient
    ) throws -> MetadataItem {
        do {
            var inexact: [ContainerIdentifier] = []
            var item = try find(place, place.predicate, shown, &client, &inexact)
            if item == nil {
                // Its container may be named by a path with symbolic links in it.
                item = try find(place, place.predicateOfInode, shown, &client, &inexact)
            }
            Inexact.note(inexact, connection)
            if let item { return item }
        } catch let error as GatherError where error.code == .unknownScope {
            throw try missing(place, &client, isOutside: true)
        }
        throw try missing(place, &client, isOutside: false)
    }

    private func find(
        _ place: FilePlace, _ predicate: String, _ shown: [Attribute], _ client: inout BlockingClient,
        _ inexact: inout [ContainerIdentifier]
    ) throws -> MetadataItem? {
        let search = Search(
            predicate: predicate, scopes: place.scopes,
            attributes: shown + (shown.contains(.path) ? [] : [.path]),
            freshness: freshness, timeout: connection.patience)
        var found: MetadataItem?
        let summary = try client.find(search) { items in
            for item in items {
                if let path = item.pathBytes, place.isNamed(by: path) { found = item }
            }
        }
        inexact = summary.inexactContainers
        return found
    }

    /// The failure that says why a path has no item.
    private func missing(
        _ place: FilePlace, _ client: inout BlockingClient, isOutside: Bool
    ) throws -> Failure {
        let name = DisplayText.escaped(place.path)
        let own = try client.containers().first { place.isDirectory(Array($0.path.utf8)) }
        if connection.embedded != nil {
            guard own == nil else {
                return Failure(
                    "\(name) is a directory that is read, not an item in one\(readsByDirectory ? "" : "; leave --in out")"
                )
            }
            return Failure(
                isOutside
                    ? "\(name) lies outside of the directories of --in"
                    : "\(name) was not there when its directory was read, or is on a file system mounted below --in")
        }
        if let own {
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
