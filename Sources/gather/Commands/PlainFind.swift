// gather find in its plain form: paths for a program, as fast as the process can be.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import Glibc

/// The plain form of `gather find`: bytes go from the socket to the pipe, and nothing is made of them.
///
/// Scripts ask it often, and for few matches most of the time is the start of the process: loading it, and then the
/// general parser of arguments, which asks the runtime about conformances and so reads all of them. The plain forms are
/// recognised by hand, and whatever is not exactly one of them goes to the parser, as does everything that is wrong.
struct PlainFind {
    let search: Search
    let nulTerminated: Bool
    let connection: Connection

    init(search: Search, nulTerminated: Bool, connection: Connection) {
        self.search = search
        self.nulTerminated = nulTerminated
        self.connection = connection
    }

    /// The arguments of the process, without its name, where they are a plain find; else nil. Throws where a directory
    /// cannot be looked in.
    init?(_ arguments: some Collection<String>) throws(Failure) {
        guard arguments.first == "find" else { return nil }
        var predicate: String?
        var containers: [SearchScope] = []
        var directories: [String] = []
        var limit: Int?
        var isSynchronized = true
        var nulTerminated = false
        var connection = Connection()
        var rest = arguments.dropFirst().makeIterator()
        while let argument = rest.next() {
            switch argument {
            case "--socket":
                guard let path = rest.next(), !path.hasPrefix("-"), connection.isAutomatic else { return nil }
                connection.socket = path
            case "--user":
                guard connection.isAutomatic else { return nil }
                connection.choice = .user
            case "--system":
                guard connection.isAutomatic else { return nil }
                connection.choice = .system
            case "--container":
                guard let identifier = rest.next(), !identifier.hasPrefix("-") else { return nil }
                containers.append(.container(identifier))
            case "--in":
                guard let directory = rest.next(), !directory.hasPrefix("-") else { return nil }
                directories.append(directory)
            case "--limit":
                guard let number = rest.next().flatMap({ Int($0) }), number > 0, limit == nil else { return nil }
                limit = number
            case "--no-sync": isSynchronized = false
            case "-0", "--null": nulTerminated = true
            default:
                guard predicate == nil, !argument.hasPrefix("-") else { return nil }
                predicate = argument
            }
        }
        guard let predicate, nulTerminated || !Terminal.isTerminal() else { return nil }
        var scopes = containers
        for directory in directories { scopes.append(.directory(try RealPath.directory(directory))) }
        search = Search(predicate: predicate, scopes: scopes, limit: limit, isSynchronized: isSynchronized)
        self.nulTerminated = nulTerminated
        self.connection = connection
    }

    func run() throws {
        var client = try connection.connect()
        var output = Output(nulTerminated: nulTerminated)
        let summary: BlockingClient.Summary
        do {
            summary = try client.findPaths(search, { output.line($0) }, finishBatch: { output.flush() })
        } catch let error as GatherError {
            throw Failure(error, command: "gather find\(connection.words)", predicate: search.predicate)
        }
        Inexact.note(summary.inexactContainers, connection)
        if summary.count == 0 { NoContainers.note(ifNoneIn: &client, search.scopes, connection) }
    }
}

extension Connection {
    fileprivate var isAutomatic: Bool { socket == nil && choice == .automatic }
}
