// The scopes of a query.
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

    /// Whether no scope was given.
    var isEmpty: Bool { container.isEmpty && scope == nil && directories.isEmpty }

    /// Returns the scopes. `--scope` without a container applies to every container, so the daemon is asked for them.
    func scopes(_ connection: Connection) throws -> [SearchScope] {
        var (containers, bytes) = (container.map { ContainerIdentifier($0) }, ArgumentBytes())
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
        } + directories.map { .directory(FilePath(bytes: try directory(bytes.bytes(of: $0), connection))) }
    }
}

extension ScopeOptions {
    /// Throws if a machine would have to be asked before the question.
    func checkForSeveral() throws(Failure) {
        guard scope != nil, container.isEmpty else { return }
        throw Failure(status: ExitStatus.usage, "with several machines, --scope goes with --container")
    }

    /// Returns a directory as the daemon of the connection has it.
    private func directory(_ path: [UInt8], _ connection: Connection) throws(Failure) -> [UInt8] {
        guard connection.host != nil else { return try RealPath.directory(path) }
        guard path.first == UInt8(ascii: "/") else {
            throw Failure(
                status: ExitStatus.usage,
                "'\(DisplayText.escaped(path))' is no absolute path, and with --host a directory is one of that machine"
            )
        }
        return path
    }
}

/// Paths of directories as the daemon has them: absolute, and without symbolic links.
enum RealPath {
    static func directory(_ path: [UInt8]) throws(Failure) -> [UInt8] {
        try SilentMount.check(String(decoding: path, as: UTF8.self))
        guard let resolved = FilePlace.withCString(path, { realpath($0, nil) }) else {
            throw Failure(
                status: ExitStatus.usage, "\(DisplayText.escaped(path)): \(String(cString: strerror(errno)))")
        }
        defer { free(resolved) }
        var status = stat()
        guard stat(resolved, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw Failure(status: ExitStatus.usage, "\(DisplayText.escaped(path)) is not a directory")
        }
        return UnsafeBufferPointer(start: resolved, count: strlen(resolved)).map { UInt8(bitPattern: $0) }
    }

    /// Returns a directory where only text will do: the paths of containers are UTF-8.
    static func text(_ path: String) throws(Failure) -> String {
        var bytes = ArgumentBytes()
        let argument = bytes.bytes(of: path)
        guard let text = String(validating: try directory(argument), as: UTF8.self) else {
            throw Failure(
                status: ExitStatus.usage,
                "\(DisplayText.escaped(argument)): the path is not UTF-8, and that of a container must be")
        }
        return text
    }
}

/// The advice if a daemon watches nothing.
enum NoContainers {
    static func message(_ connection: Connection) -> String {
        "gatherd watches nothing yet. Add a directory with: "
            + connection.command("gather container add\(connection.daemonWords) NAME DIRECTORY")
    }

    /// Says that nothing is watched, if that is why a query over everything found nothing. Returns whether it is.
    static func note(ifNoneIn client: inout BlockingClient, _ scopes: [SearchScope], _ connection: Connection) -> Bool {
        guard scopes.isEmpty, let containers = try? client.containers(), containers.isEmpty else { return false }
        Output.note(message(connection))
        return true
    }
}
