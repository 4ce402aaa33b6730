// gather devices: the devices that containers are shared with.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherKit

struct DevicesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List the devices that share containers with this one.",
        usage: "gather devices [<options>]",
        discussion: """
            This device comes first, and those that ask to connect last. A pipe gets the whole identifier, name, state, \
            address, version and time of the last connection, with tabs between.

            A device is named by its name, its identifier, or the first letters of that.

            EXAMPLES
              gather devices
              gather devices --json | jq -r 'select(.connected).name'
              gather devices --id
              gather devices --remove laptop
            """)

    @Flag(help: "Print one JSON object a line.")
    var json = false

    @Flag(help: "Print only the ID of this device.")
    var id = false

    @Option(
        help: ArgumentHelp(
            "Remove this device. It keeps the files that it has, and gets no more.", valueName: "device"),
        completion: Completions.devices)
    var remove: String?

    @OptionGroup var helper: HelperChoice

    mutating func validate() throws {
        if [json, id, remove != nil].count(where: { $0 }) > 1 {
            throw ValidationError("Choose one of --json, --id and --remove.")
        }
    }

    mutating func run() throws {
        var client = try BlockingSharingClient(helper.target)
        let status = try client.status()
        if let remove {
            try status.checkRunning()
            let known = status.devices.filter { !$0.isHere }
            let identifier = try DeviceArgument.resolve(remove, among: known)
            try client.removeDevice(identifier)
            var output = Output()
            output.line("\(status.name(of: identifier)) is removed")
            return output.flush()
        }
        var output = Output()
        if id {
            try status.checkRunning()
            guard let here = status.thisDevice else { throw Failure("Syncthing does not tell the ID of this device") }
            output.line(here.identifier)
            return output.flush()
        }
        if json {
            for device in DeviceTable.sorted(status.devices) { output.line(DeviceTable.object(device)) }
        } else if Terminal.isTerminal() {
            let lines = DeviceTable.lines(status.devices, color: Terminal.hasColor(), width: Terminal.width)
            for line in lines { output.line(line) }
        } else {
            for device in DeviceTable.sorted(status.devices) { output.line(DeviceTable.plain(device)) }
        }
        output.flush()
        try status.checkRunning()
        guard Terminal.isTerminal(), !json else { return }
        if let asking = status.devices.first(where: \.asksToConnect) {
            Output.note("to let \(asking.displayName) connect: gather join\(helper.words) \(asking.identifier)")
        } else if !status.devices.contains(where: { !$0.isHere }) {
            Output.note(
                "there is no other device yet. To add one: gather join\(helper.words) DEVICE-ID, "
                    + "with the ID that 'gather devices --id' prints there")
        }
    }
}
