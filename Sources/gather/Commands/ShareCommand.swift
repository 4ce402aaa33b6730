// gather share: containers that are shared with other devices.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherKit
internal import Glibc

struct ShareCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "share",
        abstract: "Share a container with other devices, or list those that are shared.",
        usage: "gather share [<options>] [<container>]",
        discussion: """
            Without a container it lists those that are shared. A pipe gets identifier, state, devices and path, with tabs \
            between.

            With a container it has Syncthing carry its files. Then it prints the ID of this device, and the command for the \
            other one. A container that a file configures gets the line sync = "syncthing" there first.

            The option --with takes the name or ID of a device. One that is not known yet is added. With =NAME behind its ID \
            the device gets this name here.

            --stop ends the sharing: with the devices of --with, or with all. No file is removed on any device.

            EXAMPLES
              gather share
              gather share grocery
              gather share grocery --with laptop --with ABCDEFG-...=phone
              gather share grocery --stop --with laptop
              gather share grocery --stop
            """)

    @Argument(help: "The container.", completion: Completions.containers)
    var container: String?

    @Option(
        name: .customLong("with"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Share it with this device. May be repeated.", valueName: "device"),
        completion: Completions.devices)
    var names: [String] = []

    @Flag(help: "Share it no longer.")
    var stop = false

    @Flag(help: "Print one JSON object a line.")
    var json = false

    @OptionGroup var helper: HelperOptions
    @OptionGroup var daemon: ConnectionOptions

    mutating func validate() throws {
        guard container == nil else { return }
        if stop { throw ValidationError("--stop wants a container.") }
        if !names.isEmpty { throw ValidationError("--with wants a container.") }
    }

    mutating func run() throws {
        guard let container = container.map({ ContainerIdentifier($0) }) else { return try list() }
        var client = try BlockingSharingClient(helper.target(daemon))
        let status = try client.status()
        try status.checkRunning()
        let named = try DeviceArgument.named(names, among: status.devices.filter { !$0.isHere })
        let devices = named.map(\.identifier)
        if stop {
            guard named.allSatisfy({ $0.name == nil }) else {
                throw Failure(status: ExitStatus.usage, "--stop gives no device a name; leave =NAME out")
            }
            return try stopSharing(container, with: devices, &client, status)
        }

        var gatherd = try daemon.connect()
        let path = try ShareCommand.prepare(container, &gatherd)
        for device in named { try client.admit(device.identifier, name: device.name, among: status) }
        let folders = try ShareCommand.share(container, with: devices, helper.target(daemon))
        let now = try client.status()
        let sync = ContainerSync(container, path: path, now)
        var output = Output()
        if json {
            output.line(sync.object(now))
            return output.flush()
        }
        let names = sync.names(now)
        let here = now.thisDevice?.identifier
        let shown = DisplayText.escaped(path)
        output.line("\(container) is shared\(names.isEmpty ? "" : " with \(names)"): \(shown)")
        for folder in folders where folder.error != nil {
            output.line("\(DisplayText.escaped(folder.path)): \(DisplayText.escaped(folder.error ?? ""))")
        }
        if let here {
            output.line("this device is \(here)")
            output.line("on the other device: gather join \(here) \(ShellText.quoted(container.rawValue))")
        }
        output.flush()
        guard names.isEmpty else { return }
        Output.note(
            "it is shared with no device yet. With the ID that the other device prints: "
                + "gather share\(daemon.words) \(ShellText.quoted(container.rawValue)) --with DEVICE-ID")
    }

    /// Has gatherd share the container, if it does not yet. Returns the container's directory.
    static func prepare(_ container: ContainerIdentifier, _ gatherd: inout BlockingClient) throws -> String {
        guard let found = try gatherd.containers().first(where: { $0.identifier == container }) else {
            throw Failure(
                "there is no container '\(DisplayText.escaped(container.rawValue))'; 'gather container list' lists those there are"
            )
        }
        if found.sync != nil { return found.path }
        do throws(GatherError) {
            return try gatherd.setSharing(of: container, to: SharingProgram.name).path
        } catch {
            guard error.code == .invalidContainer else { throw error }
            // The daemon names the file and the line.
            throw Failure("the container '\(DisplayText.escaped(container.rawValue))' is not shared: \(error.message)")
        }
    }

    /// The longest wait until the helper knows that gatherd shares a container, and the time between two questions.
    private static let patience = Duration.seconds(5)
    private static let pauseMilliseconds: Int32 = 50

    /// Shares a container. gatherd may have begun to share it a moment ago, and the helper not have heard of it.
    static func share(
        _ container: ContainerIdentifier, with devices: [String], _ socket: SharingSocket
    ) throws -> [SharedFolder] {
        let end = ContinuousClock.now + patience
        while true {
            var client = try BlockingSharingClient(socket)
            do throws(GatherError) {
                return try client.share(container, with: devices)
            } catch {
                guard error.code == .notShared, ContinuousClock.now < end else { throw error }
            }
            _ = poll(nil, 0, pauseMilliseconds)
        }
    }

    private func stopSharing(
        _ container: ContainerIdentifier, with devices: [String], _ client: inout BlockingSharingClient,
        _ status: SharingStatus
    ) throws {
        try client.unshare(container, with: devices.isEmpty ? nil : devices)
        var output = Output()
        if !devices.isEmpty {
            let names = devices.map { status.name(of: $0) }.joined(separator: ", ")
            output.line("\(DisplayText.escaped(container.rawValue)) is no longer shared with \(names)")
            return output.flush()
        }
        output.line("\(DisplayText.escaped(container.rawValue)) is no longer shared; its files stay")
        output.flush()
        // Folders of a container that is gone are removed, too.
        var gatherd = try daemon.connect()
        guard let found = try gatherd.containers().first(where: { $0.identifier == container }), found.sync != nil
        else { return }
        do throws(GatherError) {
            _ = try gatherd.setSharing(of: container, to: nil)
        } catch {
            guard error.code == .invalidContainer else { throw error }
            Output.note("gatherd still has it as shared: \(error.message)")
        }
    }

    // MARK: The list

    private func list() throws {
        var gatherd = try daemon.connect()
        let containers = try gatherd.containers()
        let socket = helper.target(daemon)
        let status: SharingStatus
        var failure: Failure?
        do throws(GatherError) {
            var client = try BlockingSharingClient(socket)
            status = try client.status()
        } catch {
            // The containers are known without the helper.
            guard error.code == .unreachable || error.code == .notAnswering else { throw error }
            status = SharingStatus(unreachable: error.message)
            failure = Failure(error)
        }
        let shared = ContainerSync.all(status, containers)
        var output = Output()
        if json {
            for sync in shared { output.line(sync.object(status)) }
        } else if Terminal.isTerminal() {
            var table = Table(header: [("container", false), ("state", false), ("with", false), ("path", false)])
            for sync in shared {
                table.add([
                    Table.Cell(DisplayText.escaped(sync.identifier.rawValue), .bold),
                    Table.Cell(sync.state.rawValue, sync.state.color), Table.Cell(sync.names(status)),
                    Table.Cell(DisplayText.escaped(sync.path)),
                ])
            }
            for line in table.lines(color: Terminal.hasColor(), width: Terminal.width) { output.line(line) }
        } else {
            for sync in shared {
                let devices = sync.devices.map(\.device).joined(separator: ",")
                output.line(
                    [sync.identifier.rawValue, sync.state.rawValue, devices, sync.path].map { DisplayText.escaped($0) }
                        .joined(separator: "\t"))
            }
        }
        output.flush()
        if shared.isEmpty, failure == nil, Terminal.isTerminal(), !json {
            Output.note("nothing is shared yet. To share a container: gather share\(daemon.words) NAME")
        }
        // Without a shared container, a helper is not needed.
        if let failure, !shared.isEmpty { throw failure }
        if !shared.isEmpty { try status.checkRunning() }
    }
}

/// The program that carries containers between devices.
enum SharingProgram {
    static let name = "syncthing"
}

extension BlockingSharingClient {
    /// Adds a device unless it is known.
    mutating func admit(
        _ device: String, name: String? = nil, addresses: [String] = [], among status: SharingStatus
    ) throws {
        let isKnown = status.devices.contains { $0.identifier == device && !$0.asksToConnect }
        if isKnown, name == nil, addresses.isEmpty { return }
        try addDevice(device, name: name, addresses: addresses.isEmpty ? nil : addresses)
    }
}
