// Where the items of files that were named come from.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit

/// Answers what a file is: a daemon, an engine within this command that reads what it was told to, or one for each
/// directory in turn.
struct ItemSource: ~Copyable {
    private let isSynchronized: Bool
    /// Whether each file's own directory is read, without what lies deeper.
    private let readsByDirectory: Bool
    private var connection: Connection
    private var client: BlockingClient?
    /// The directory that was read last.
    private var directory: String?

    init(
        _ daemon: ConnectionOptions, _ embedding: EmbeddedOptions, _ directories: [String], isSynchronized: Bool
    ) throws {
        let readsByDirectory = embedding.embedded && directories.isEmpty
        let connection =
            embedding.embedded && !readsByDirectory
            ? try EmbeddedOptions.connection(directories) : daemon.target
        if isSynchronized, connection.embedded != nil { connection.showProgress() }
        client = readsByDirectory ? nil : try connection.connect()
        self.isSynchronized = isSynchronized
        self.readsByDirectory = readsByDirectory
        self.connection = connection
    }

    /// The item at a place. Throws ``Failure`` with a sentence on why there is none, and what a daemon has against being
    /// asked.
    mutating func item(at place: FilePlace, _ shown: [Attribute]) throws -> MetadataItem {
        if readsByDirectory { try read(place) }
        guard var asked = client.take() else { throw Failure("there is nobody to ask") }
        do {
            let item = try find(place, shown, &asked)
            client = consume asked
            return item
        } catch {
            client = consume asked
            throw error
        }
    }

    /// Reads the directory of a file. Files mostly come by directory, as a shell lists them.
    private mutating func read(_ place: FilePlace) throws {
        guard let wanted = place.directory else {
            throw Failure("\(DisplayText.escaped(place.path)): its directory has no UTF-8 path, which --embedded needs")
        }
        guard wanted != directory else { return }
        client = nil
        connection.embedded?.daemon.close()
        directory = nil
        connection = try EmbeddedOptions.connection([wanted], descends: false)
        connection.showProgress()
        client = try connection.connect()
        directory = wanted
    }

    private func find(
        _ place: FilePlace, _ shown: [Attribute], _ client: inout BlockingClient
    ) throws -> MetadataItem {
        let search = Search(
            predicate: place.predicate, scopes: place.scopes,
            attributes: shown + (shown.contains(.path) ? [] : [.path]),
            isSynchronized: isSynchronized, timeout: connection.patience)
        var found: MetadataItem?
        do {
            let summary = try client.find(search) { items in
                for item in items where item.pathBytes == place.path { found = item }
            }
            Inexact.note(summary.inexactContainers, connection)
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
        let own = try client.containers().first { Array($0.path.utf8) == place.path }
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
