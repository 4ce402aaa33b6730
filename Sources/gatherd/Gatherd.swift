// The daemon's program: its options, and the connection of the service to systemd.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import GatherService
import Glibc
import LinuxSystem
import Logging
import SystemdSupport

@main struct Gatherd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gatherd",
        abstract: "Keeps live answers to questions about files.",
        discussion: """
            Watches directory trees (containers) with inotify and answers predicate queries over a Unix socket that \
            speaks Varlink. Ask with gather(1).

            Examples:
              gatherd --container photos=/srv/photos  watch one directory more
              gatherd --check-config                  is the configuration right?
              gatherd --socket /tmp/g/s --state-directory /tmp/g/state
            """,
        version: "gatherd \(Version.current)")

    @Option(help: ArgumentHelp("The configuration file; containers.d is read beside it.", valueName: "file"))
    var config: String?
    @Option(help: ArgumentHelp("Where to listen, unless systemd passes a socket.", valueName: "path"))
    var socket: String?
    @Option(help: ArgumentHelp("Where state is kept across restarts.", valueName: "dir"))
    var stateDirectory: String?
    @Option(help: ArgumentHelp("Watch this directory too; may be repeated.", valueName: "id=path"))
    var container: [String] = []
    @Option(
        help: ArgumentHelp("trace, debug, info, notice, warning, error or critical.", valueName: "level"),
        transform: Gatherd.logLevel)
    var logLevel: Logger.Level?
    @Flag(help: "Check the configuration, say what is wrong, and exit.")
    var checkConfig = false

    /// ArgumentParser's own main would run on a thread of libdispatch, which then wakes up every second.
    @MainActor static func main() async {
        Program.begin()
        do {
            var command = try parseAsRoot(GatherDaemon.arguments)
            if let daemon = command as? Gatherd { try await daemon.run() } else { try command.run() }
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
            if checkConfig {
                let configuration = try options(listening: false).configuration()
                for remark in configuration.remarks() { Gatherd.say("note: \(remark)") }
                let count = configuration.containers.count
                let file = config ?? DaemonPaths.current.configuration
                let directory = file.lastIndex(of: "/").map { file[...$0] } ?? ""
                print(
                    TerminalText.shown(
                        "the configuration is in order: \(count) \(count == 1 ? "container" : "containers") "
                            + "(\(file)\(access(file, F_OK) == 0 ? "" : ", which is not there,") and \(directory)containers.d)"
                    ))
                return
            }
            let destination = LogDestination.current
            LoggingSystem.bootstrap { _ in destination.handler(identifier: "gatherd", logLevel: .info) }
            let (options, observer) = (try options(listening: true), try SystemdObserver())
            let daemon = GatherDaemon(options: options, observer: observer, logger: Logger(label: "gatherd"))
            try await daemon.runUntilSignalled()
        } catch let error as ConfigurationError {
            Gatherd.say("\(error)")
            throw ExitCode(error.file == "--container" ? EX_USAGE : EX_CONFIG)
        } catch let error as StartError {
            // The unit restarts the daemon after this status.
            Gatherd.say("\(error)")
            throw ExitCode(EX_OSERR)
        } catch let error as SystemdError {
            Gatherd.say("\(error)")
            throw ExitCode(EX_OSERR)
        }
    }

    private static func say(_ message: String) { LogQueue.shared.say("gatherd: \(message)") }

    private static func logLevel(_ text: String) throws -> Logger.Level {
        if let level = Logger.Level(rawValue: text) { return level }
        let names = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
        throw ValidationError("'\(text)' is no level; the levels are \(names)")
    }

    private func options(listening: Bool) throws -> DaemonOptions {
        let paths = DaemonPaths.current
        var socket = DaemonOptions.Socket.path(
            self.socket.map(DaemonPaths.socket) ?? paths.socket, isSystem: self.socket == nil && paths.isSystem)
        var storedDescriptors: [StoredDescriptor] = []
        if listening {
            let passed = try InheritedSocket.takeAll()
            let sockets = passed.filter { !$0.name.hasPrefix(StoredDescriptor.namePrefix) && !$0.isStored }
            // Descriptors without a known name are passed along, too, and are closed there.
            storedDescriptors = passed.filter { !sockets.contains($0) }.map {
                StoredDescriptor(name: $0.name, number: $0.descriptor)
            }
            if let inherited = try InheritedSocket.listener(among: sockets) {
                socket = .inherited(descriptor: inherited.descriptor)
            }
        }
        var options = DaemonOptions(
            configurationFile: config ?? paths.configuration, configurationIsRequired: config != nil, socket: socket,
            stateDirectory: stateDirectory ?? paths.stateDirectory,
            containers: try container.map { try ContainerConfiguration(argument: $0) }, logLevel: logLevel)
        options.storedDescriptors = storedDescriptors
        if self.socket == nil { options.runtimeDirectory = paths.runtimeDirectory }
        return options
    }
}
