// gather sync: how far shared containers are.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherKit

struct SyncCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Show how far shared containers are.",
        discussion: """
            EXAMPLES
              gather sync status
              gather sync status grocery --watch
            """,
        subcommands: [SyncStatusCommand.self],
        defaultSubcommand: SyncStatusCommand.self)
}

struct SyncStatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the devices, and what is missing here and there (the default).",
        usage: "gather sync status [<options>] [<container> ...]",
        discussion: """
            A container is in step if all of its devices are known to have the same items. A pipe gets a line for each \
            container, with tabs between. Its columns are identifier, state, items and bytes that are missing here, items and \
            bytes that are missing on other devices, devices and errors. The devices are as attic=connected,phone=away.

            With --watch, a terminal shows the present state until Ctrl-C. A pipe gets the line of each container that \
            changed, and with --json an object for each change.

            The status is 69 if Syncthing or gather-syncd does not answer.

            EXAMPLES
              gather sync status
              gather sync status grocery photos --watch
              gather sync status | cut -f1,2,8
              gather sync status --json | jq '.containers[] | select(.inStep | not)'
            """)

    @Argument(
        help: ArgumentHelp("The containers; all without it.", valueName: "container"), completion: Completions.shared)
    var identifiers: [String] = []

    @Flag(help: "Go on with each change, until Ctrl-C.")
    var watch = false

    @Flag(help: "Print a JSON object.")
    var json = false

    @OptionGroup var helper: HelperOptions
    @OptionGroup var daemon: ConnectionOptions

    mutating func run() throws {
        let socket = helper.target(daemon)
        guard watch else {
            let text = try text(try status(socket))
            var printer = SyncStatusPrinter(json: json, isLive: false)
            printer.print(text)
            return try text.status.checkRunning()
        }
        try follow(socket)
    }

    /// The longest wait for the second look that a rate takes, in milliseconds. The helper looks once a second.
    private static let rateMilliseconds = 1_500

    /// Returns the state. While something is transferred, it has the rates.
    private func status(_ socket: SharingSocket) throws -> SharingStatus {
        var client = try BlockingSharingClient(socket)
        var status = try client.status()
        guard status.isTransferring else { return status }
        var looks = 0
        var monitor = try BlockingSharingClient(socket)
        try monitor.monitor(every: .milliseconds(Self.rateMilliseconds)) { later in
            guard let later else { return false }
            status = later
            looks += 1
            return looks < 2
        }
        return status
    }

    /// Adds the containers that gatherd has as shared. The daemon may be away.
    private func text(_ status: SharingStatus) throws -> SyncStatusText {
        let known: [ContainerStatus]
        do throws(GatherError) {
            var gatherd = try daemon.connect()
            known = try gatherd.containers()
        } catch {
            known = []
        }
        let all = ContainerSync.all(status, known)
        var chosen = all
        if !identifiers.isEmpty {
            chosen = try identifiers.map { text in
                let identifier = ContainerIdentifier(text)
                if let found = all.first(where: { $0.identifier == identifier }) { return found }
                // Without Syncthing, any container may be a shared one.
                if !status.isRunning { return ContainerSync(identifier, path: nil, status) }
                throw Failure(
                    "the container '\(DisplayText.escaped(text))' is not shared; 'gather share' lists those that are"
                )
            }
        }
        return SyncStatusText(status: status, containers: chosen, words: daemon.words)
    }

    /// Prints each change. A helper that ends is waited for.
    private func follow(_ socket: SharingSocket) throws {
        var printer = SyncStatusPrinter(json: json, isLive: true)
        var hasAnswered = false
        while true {
            do {
                var client = try BlockingSharingClient(socket)
                try client.monitor(every: .milliseconds(SyncStatusPrinter.tick)) { status in
                    guard let status else { return !printer.isDone }
                    hasAnswered = true
                    printer.print(try text(status))
                    return true
                }
            } catch let error as GatherError where hasAnswered && error.isTransient {
                printer.print(try text(SharingStatus(unreachable: error.message)))
            }
            if printer.isDone { return }
            printer.pause()
        }
    }
}

extension SharingStatus {
    /// Whether a connected device, or this one, lacks something.
    fileprivate var isTransferring: Bool {
        let connected = Set(devices.filter { $0.isConnected && !$0.isHere }.map(\.identifier))
        return !connected.isEmpty
            && folders.contains { folder in
                folder.missingItems > 0
                    || folder.shares.contains { $0.missingItems > 0 && connected.contains($0.device) }
            }
    }
}
