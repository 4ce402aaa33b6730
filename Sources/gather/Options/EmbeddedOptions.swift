// The engine within the command itself.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherKit
internal import GatherService
internal import Glibc

/// `--embedded`: no daemon, and nothing to install.
struct EmbeddedOptions: ParsableArguments {
    @Flag(
        help: ArgumentHelp(
            "Read the directories of --in within this command, without a daemon.",
            discussion: """
                Nothing is written. File systems mounted below a directory are not entered. Names of owners come from \
                /etc/passwd and /etc/group.
                """))
    var embedded = false

    /// Returns the daemon that these options choose together: an engine within this command, which begins to read, or a
    /// daemon. With `watches` the engine follows changes.
    func connection(
        _ options: ConnectionOptions, _ places: ScopeOptions, watches: Bool = false, freshness: Freshness = .afterFlush
    ) throws(Failure) -> Connection {
        guard embedded else { return options.target }
        guard !places.directories.isEmpty else {
            throw Failure(
                status: ExitStatus.usage, "--embedded reads the directories of --in; give at least one, such as --in .")
        }
        guard places.container.isEmpty else {
            throw Failure(
                status: ExitStatus.usage,
                "--container is a container of a daemon; --embedded reads the directories of --in")
        }
        try check(options, freshness: freshness)
        return try EmbeddedOptions.connection(places.directories, watches: watches)
    }

    /// Throws if an option needs a daemon.
    func check(_ options: ConnectionOptions, freshness: Freshness) throws(Failure) {
        guard options.isAutomatic else {
            throw Failure(
                status: ExitStatus.usage, "--embedded asks no daemon: it does not go with --socket, --user or --system")
        }
        guard freshness == .afterFlush else {
            throw Failure(
                status: ExitStatus.usage, "--embedded has no answer before it has read: it does not go with --no-sync")
        }
    }

    /// Starts an engine within this command that reads directories; without `descends` only their own entries.
    static func connection(
        _ directories: [String], watches: Bool = false, descends: Bool = true
    ) throws(Failure) -> Connection {
        var paths: [String] = []
        for directory in directories {
            let path = try RealPath.text(directory)
            guard access(path, R_OK | X_OK) == 0 else {
                throw Failure(
                    status: ExitStatus.usage,
                    "\(DisplayText.escaped(directory)): \(String(cString: strerror(errno)))")
            }
            paths.append(path)
        }
        return Connection(
            embedded: Connection.Embedded(
                daemon: try daemon(paths, watches: watches, descends: descends), directories: directories))
    }

    private static func daemon(
        _ directories: [String], watches: Bool, descends: Bool
    ) throws(Failure) -> InProcessDaemon {
        do throws(EmbeddedDaemon.Failure) {
            let daemon = try EmbeddedDaemon(
                directories: directories, watches: watches, descends: descends,
                warn: { Output.note(DisplayText.escaped($0)) })
            return InProcessDaemon(
                connect: { () throws(InProcessDaemon.Failure) in
                    do throws(EmbeddedDaemon.Failure) { return try daemon.connect() } catch {
                        guard case .system(let code) = error else { throw InProcessDaemon.Failure(code: EIO) }
                        throw InProcessDaemon.Failure(code: code)
                    }
                }, end: { daemon.close() })
        } catch {
            switch error {
            case .directories(let message): throw Failure(status: ExitStatus.usage, message)
            // inotify_init1(2): the limit of instances for each user.
            case .system(EMFILE):
                throw Failure("no more inotify instances for this user; raise fs.inotify.max_user_instances (sysctl)")
            case .system(let code):
                throw Failure("the directories cannot be read: \(String(cString: strerror(code)))")
            }
        }
    }
}
