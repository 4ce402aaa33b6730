// Where a query looks.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherKit
internal import Glibc

struct ScopeOptions: ParsableArguments {
    enum Half: String, ExpressibleByArgument, CaseIterable {
        case documents
        case data
    }

    @Option(
        name: .long, help: ArgumentHelp("Look in this container. May be repeated.", valueName: "id"),
        completion: Completions.containers)
    var container: [String] = []

    @Option(help: "Look only at documents (below a container's Documents) or only at data (everything else).")
    var scope: Half?

    @Option(
        name: .customLong("in"), help: ArgumentHelp("Look below this directory. May be repeated.", valueName: "dir"),
        completion: .directory)
    var directories: [String] = []

    mutating func validate() throws {
        if scope != nil, !directories.isEmpty {
            throw ValidationError("--scope goes with containers; a directory of --in lies in one scope or the other.")
        }
    }

    /// Whether nothing was said of where to look.
    var isEmpty: Bool { container.isEmpty && scope == nil && directories.isEmpty }

    /// The scopes. `--scope` without a container means every container, so the daemon is asked which there are.
    func scopes(_ connection: Connection) throws -> [SearchScope] {
        var containers = container
        if scope != nil, containers.isEmpty {
            var client = try connection.connect()
            containers = try client.containers().map(\.identifier)
            guard !containers.isEmpty else { throw Failure(NoContainers.message(connection)) }
        }
        return try containers.map { identifier in
            switch scope {
            case nil: .container(identifier)
            case .documents: .documents(ofContainer: identifier)
            case .data: .data(ofContainer: identifier)
            }
        } + directories.map { .directory(try RealPath.directory($0)) }
    }
}

/// Directories as the daemon knows them: absolute, and without symbolic links.
enum RealPath {
    static func directory(_ path: String) throws(Failure) -> String {
        guard let resolved = realpath(path, nil) else {
            throw Failure(
                status: ExitStatus.usage, "\(DisplayText.escaped(path)): \(String(cString: strerror(errno)))")
        }
        defer { free(resolved) }
        var status = stat()
        guard stat(resolved, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw Failure(status: ExitStatus.usage, "\(DisplayText.escaped(path)) is not a directory")
        }
        guard let text = String(validatingCString: resolved) else {
            throw Failure(status: ExitStatus.usage, "\(DisplayText.escaped(path)): not UTF-8, which a scope must be")
        }
        return text
    }
}

/// What is said where a daemon watches nothing at all.
enum NoContainers {
    static func message(_ connection: Connection) -> String {
        "gatherd watches nothing yet. Add a directory with: gather container add\(connection.words) NAME DIRECTORY"
    }

    /// Says so where that is why a query over everything found nothing.
    static func note(ifNoneIn client: inout BlockingClient, _ scopes: [SearchScope], _ connection: Connection) {
        guard scopes.isEmpty, let containers = try? client.containers(), containers.isEmpty else { return }
        Output.note(message(connection))
    }
}
