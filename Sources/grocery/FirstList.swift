// The steps to a first list.
// SPDX-License-Identifier: Apache-2.0

internal import GatherDocuments
internal import Glibc
internal import GroceryModel
internal import LinuxSystem

/// The steps to a first list: a daemon that answers, a directory, and a container. A step that is done already is left out.
struct FirstList {
    let options: ListOptions
    /// The directory that the user named; nil for the standard one.
    let directory: String?
    /// Whether the user is asked before a step that changes something outside of the list.
    let asks: Bool

    /// Takes the steps. Returns a line for each, and for the next command.
    func make() async throws -> [String] {
        guard directory != "" else { throw Problem("the name of the directory is empty", status: 64) }
        var lines: [String] = []
        let client = try await reachDaemon(&lines)
        let identifier = options.identifier
        if let container = try await existing(identifier, client) {
            if let directory, try FirstList.absolute(directory) != container.path {
                throw Problem(
                    "the container '\(identifier)' is at \(container.path) already; name another one with --container")
            }
            if try makeDirectory(container.path, &lines).isEmpty, container.state == .unavailable {
                throw Problem(
                    "the container '\(identifier)' is unavailable: \(container.reason ?? "the reason is unknown")")
            }
            lines.append("'\(identifier)' is at \(container.path)")
        } else {
            let path = try FirstList.absolute(directory ?? FirstList.standardDirectory)
            let made = try makeDirectory(path, &lines)
            do {
                let container = try await add(identifier, path, client, &lines)
                lines.append("\(container.path) is watched as '\(identifier)'")
            } catch {
                Directory.unmake(made)
                throw error
            }
        }
        return lines + ["Now: grocery add Milk, and grocery for the full screen"]
    }

    // MARK: The daemon

    /// Returns a client of a daemon that answers. Starts one if none does.
    private func reachDaemon(_ lines: inout [String]) async throws -> GatherClient {
        let client = options.client
        do throws(GatherError) {
            _ = try await client.status()
            return client
        } catch {
            guard error.code == .unreachable else { throw error }
            return try await startDaemon("gatherd does not answer", error.message, &lines)
        }
    }

    /// Starts a daemon, which is one of the user's own unless the user named a socket. Returns its client.
    private func startDaemon(_ reason: String, _ lack: String, _ lines: inout [String]) async throws -> GatherClient {
        let daemon: Daemon = options.isSocketChosen ? options.daemon : getuid() == 0 ? .system : .user
        let start = try DaemonStart(daemon: daemon, isChosen: options.isSocketChosen)
        try confirm("\(reason). \(start.question)", lack)
        lines.append(try await start.run())
        return GatherClient(daemon: daemon)
    }

    // MARK: The container

    private func existing(_ identifier: ContainerIdentifier, _ client: GatherClient) async throws -> ContainerStatus? {
        do throws(GatherError) {
            return try await client.container(identifier)
        } catch {
            guard error.code == .noSuchContainer else { throw error }
            return nil
        }
    }

    /// Adds the container. The system's daemon takes it from root alone, so another user gets a daemon of their own.
    private func add(
        _ identifier: ContainerIdentifier, _ path: String, _ client: GatherClient, _ lines: inout [String]
    ) async throws -> ContainerStatus {
        do throws(GatherError) {
            return try await client.addContainer(identifier, path: path)
        } catch {
            guard error.code == .permissionDenied, !options.isSocketChosen else { throw error }
            let own = try await startDaemon("the gatherd of the system is root's to change", error.message, &lines)
            return try await own.addContainer(identifier, path: path)
        }
    }

    /// Makes a directory if it is missing. Returns those that were made.
    private func makeDirectory(_ path: String, _ lines: inout [String]) throws -> [String] {
        var status = stat()
        guard stat(path, &status) != 0 else {
            guard status.st_mode & S_IFMT == S_IFDIR else { throw Problem("\(path) is no directory", status: 64) }
            return []
        }
        guard errno == ENOENT else { throw Problem("\(path): \(String(cString: strerror(errno)))", status: 64) }
        try confirm("Make the directory \(path)?", "\(path) is missing")
        do throws(SystemError) {
            let made = try Directory.makeWithParents(path, mode: 0o777)
            lines.append("made \(path)")
            return made
        } catch {
            throw Problem("\(path) cannot be made: \(error)")
        }
    }

    private static var standardDirectory: String {
        get throws(Problem) {
            guard let home = getenv("HOME").map({ String(cString: $0) }) ?? HomeDirectory.path(of: getuid()) else {
                throw Problem("this user has no home directory; name the directory of the list", status: 64)
            }
            return home + "/Grocery"
        }
    }

    private static func absolute(_ path: String) throws(Problem) -> String {
        if let resolved = realpath(path, nil) {
            defer { free(resolved) }
            guard let text = String(validatingCString: resolved) else {
                throw Problem("the path is not UTF-8", status: 64)
            }
            return text
        }
        if path.hasPrefix("/") { return path }
        guard let here = getcwd(nil, 0) else {
            throw Problem("the working directory: \(String(cString: strerror(errno)))")
        }
        defer { free(here) }
        return String(cString: here) + "/" + path
    }

    // MARK: Asking

    /// Asks a question that the return key answers with yes. Throws if the answer is no, and if there is no terminal to
    /// ask on.
    private func confirm(_ question: String, _ lack: String) throws(Problem) {
        guard asks else { return }
        guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else {
            throw Problem("\(lack). With --yes, grocery init does that without a question", status: 64)
        }
        guard Output.confirm(question) else { throw Problem("nothing more was done") }
    }
}
