// The helper's program: its options, and the connection to systemd.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import LinuxSystem
import Logging
import SyncService
import SystemdSupport

@main struct GatherSyncd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gather-syncd",
        abstract: "Keeps gatherd and Syncthing in step.",
        discussion: """
            Has Syncthing scan what changes in the shared containers of gatherd, and tells gatherd which items other \
            devices have. Containers are shared with 'gather share'.

            Examples:
              gather-syncd --check                      does Syncthing answer?
              gather-syncd --config ~/st/config.xml     another Syncthing
            """,
        version: "gather-syncd \(SyncVersion.current)")

    @Option(help: ArgumentHelp("Syncthing's configuration file, which has its address and key.", valueName: "file"))
    var config: String?
    @Option(
        help: ArgumentHelp(
            "The user of Syncthing, who gets the key beside root. The default is the owner of the configuration file.",
            valueName: "user"))
    var syncthingUser: String?
    @Option(help: ArgumentHelp("Where to listen, unless systemd passes a socket.", valueName: "path"))
    var socket: String?
    @Option(help: ArgumentHelp("The socket of gatherd.", valueName: "path"))
    var gatherdSocket: String?
    @Option(
        help: ArgumentHelp("trace, debug, info, notice, warning, error or critical.", valueName: "level"),
        transform: GatherSyncd.logLevel)
    var logLevel: Logger.Level?
    @Flag(help: "Leave versions in conflict the names that Syncthing gave them.")
    var noClaims = false
    @Flag(help: "Ask Syncthing for its version, say what is wrong, and exit.")
    var check = false

    /// ArgumentParser's own main would run on a thread of libdispatch, which then wakes up every second.
    @MainActor static func main() async {
        Program.begin()
        do {
            var command = try parseAsRoot(Array(ProcessArguments.texts.dropFirst()))
            if let helper = command as? GatherSyncd { try await helper.run() } else { try command.run() }
        } catch {
            LogQueue.shared.finish()
            if exitCode(for: error) == .success { exit(withError: error) }
            // The message of the parser has the argument as it is.
            Program.end(status: exitCode(for: error).rawValue, message: fullMessage(for: error))
        }
        LogQueue.shared.finish()
    }

    nonisolated(nonsending) func run() async throws {
        do {
            var options = options()
            if check {
                print(TerminalText.shown(try await SyncCheck.run(options)))
                return
            }
            if let inherited = try InheritedSocket.listener(among: InheritedSocket.takeAll()) {
                options.socket = .inherited(descriptor: inherited.descriptor)
            }
            let (destination, level) = (LogDestination.current, logLevel ?? .info)
            LoggingSystem.bootstrap { _ in destination.handler(identifier: "gather-syncd", logLevel: level) }
            let helper = SyncDaemon(
                options: options, observer: SystemdSyncObserver(), logger: Logger(label: "gather-syncd"))
            try await helper.runUntilSignalled()
        } catch let error as SyncStartError {
            // The unit restarts the helper after this status.
            GatherSyncd.say("\(error)")
            throw ExitCode(EX_OSERR)
        } catch let error as SystemdError {
            GatherSyncd.say("\(error)")
            throw ExitCode(EX_OSERR)
        }
    }

    private static func say(_ message: String) { LogQueue.shared.say("gather-syncd: \(message)") }

    private static func logLevel(_ text: String) throws -> Logger.Level {
        if let level = Logger.Level(rawValue: text) { return level }
        let names = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
        throw ValidationError("'\(text)' is no level; the levels are \(names)")
    }

    private func options() -> SyncOptions {
        let paths = SyncPaths.current
        return SyncOptions(
            socket: .path(socket.map(SyncPaths.socket) ?? paths.socket, isShared: socket == nil && paths.isSystem),
            gatherdSocket: gatherdSocket.map(SyncPaths.socket) ?? paths.gatherdSocket,
            configurations: config.map { [$0] } ?? paths.configurations, isClaiming: !noClaims,
            isSystem: paths.isSystem,
            syncthingUser: syncthingUser ?? paths.syncthingUser)
    }
}
