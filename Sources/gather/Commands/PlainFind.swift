// The plain form of gather find: paths for a program, with a fast start.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import Glibc

/// The plain form of `gather find`. It copies bytes from the socket to the pipe.
///
/// Scripts ask often, and with few matches most of the time is the start of the process. The general parser of
/// arguments makes the runtime read all protocol conformances. So the plain forms are recognised here. All other
/// arguments, wrong ones included, go to the parser.
struct PlainFind {
    let search: Search
    let nulTerminated: Bool
    let connection: Connection
    let question: AskedQuestion
    let exactness: ExactnessOptions?

    init(
        search: Search, nulTerminated: Bool, connection: Connection, question: AskedQuestion,
        exactness: ExactnessOptions
    ) {
        self.search = search
        self.nulTerminated = nulTerminated
        self.connection = connection
        self.question = question
        self.exactness = exactness
    }

    /// Reads the arguments of the process without its name; nil if they are not a plain find. Throws if a directory of
    /// `--in` does not exist.
    init?(_ arguments: some Collection<String>) throws(Failure) {
        guard arguments.first == "find" else { return nil }
        var predicate: String?
        var containers: [SearchScope] = []
        var directories: [String] = []
        var limit: Int?
        var freshness = Freshness.afterFlush
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
                containers.append(.container(ContainerIdentifier(identifier)))
            case "--in":
                guard let directory = rest.next(), !directory.hasPrefix("-") else { return nil }
                directories.append(directory)
            case "--limit":
                guard let number = rest.next().flatMap({ Int($0) }), number > 0, limit == nil else { return nil }
                limit = number
            case "--no-sync": freshness = .asKnown
            case "-0", "--null": nulTerminated = true
            default:
                guard predicate == nil, !argument.hasPrefix("-") else { return nil }
                predicate = argument
            }
        }
        // The general parser reports the fault of a predicate that is not UTF-8.
        guard let predicate, nulTerminated || !Terminal.isTerminal(), !predicate.contains("\u{FFFD}") else {
            return nil
        }
        var scopes = containers
        if !directories.isEmpty {
            var bytes = ArgumentBytes()
            for directory in directories {
                scopes.append(.directory(FilePath(bytes: try RealPath.directory(bytes.bytes(of: directory)))))
            }
        }
        question = try AskedQuestion(predicate, FileShortcuts(), command: "gather find\(connection.words)")
        search = Search(predicate: question.predicate, scopes: scopes, limit: limit, freshness: freshness)
        self.nulTerminated = nulTerminated
        self.connection = connection
        exactness = nil
    }

    func run() throws {
        var client = try connection.connect()
        var output = Output(nulTerminated: nulTerminated)
        let summary: BlockingClient.Summary
        do {
            summary = try client.findPaths(search, { output.line($0) }, finishBatch: { output.flush() })
        } catch let error as GatherError {
            let failure = Failure(error, command: question.command, predicate: search.predicate)
            throw exactness?.failure(failure) ?? failure
        }
        if let exactness {
            try exactness.check(summary.inexactContainers, connection)
        } else {
            Inexact.note(summary.inexactContainers, connection)
        }
        if summary.count == 0 { EmptyAnswer.note(question, &client, search.scopes, connection) }
    }
}

extension Connection {
    fileprivate var isAutomatic: Bool { socket == nil && choice == .automatic }
}
