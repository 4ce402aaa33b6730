// gather join: adds another device, and gets a container that it shares.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherKit
internal import Glibc

struct JoinCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "join",
        abstract: "Add another device, and get a container that it shares.",
        usage: "gather join [<options>] <device-id> [<container>]",
        discussion: """
            The ID is what 'gather share' or 'gather devices --id' prints on the other device. Without a container, it \
            waits for the connection and lists the containers that the device offers.

            With a container, it makes one of that name here, and shares it with the device. Its directory is that of --path, \
            or the container's name in the home directory (of root, in /srv). The directory is made if it is missing. It \
            must be empty, unless --merge is given: then each side gets the files of the other. Files of one name with \
            different contents become versions in conflict.

            EXAMPLES
              gather join ABCDEFG-HIJKLMN-... grocery
              gather join ABCDEFG-... photos --path ~/Pictures/family
              gather join ABCDEFG-... --name attic --address tcp://192.168.1.7:22000
              gather join attic                 the containers that it offers
            """)

    /// The wait for the connection, without `--timeout`.
    private static let usualTimeout = 30_000
    /// The wait for offers of a device that is connected, in milliseconds.
    private static let offersTimeout = 5_000
    /// The time between two looks at the clock, in milliseconds.
    private static let tick = 200

    @Argument(
        help: ArgumentHelp("The ID of the device, or the name of a known one.", valueName: "device-id"),
        completion: Completions.devices)
    var device: String

    @Argument(help: "The container.", completion: Completions.offers)
    var container: String?

    @Option(help: ArgumentHelp("The directory of the container.", valueName: "dir"), completion: .directory)
    var path: String?

    @Option(help: ArgumentHelp("A name for the device.", valueName: "name"), completion: .list([]))
    var name: String?

    @Option(
        name: .customLong("address"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "An address of the device, such as tcp://192.168.1.7:22000. May be repeated. Without it, Syncthing finds it.",
            valueName: "address"),
        completion: .list([]))
    var addresses: [String] = []

    @Flag(help: "Also take a directory with files.")
    var merge = false

    @Option(help: ArgumentHelp("Wait this long for the connection: 30s, 2min.", valueName: "time"))
    var timeout: TimeSpan?

    @Flag(help: "Print one JSON object a line.")
    var json = false

    @OptionGroup var helper: HelperOptions
    @OptionGroup var daemon: ConnectionOptions

    mutating func validate() throws {
        guard container == nil else {
            if timeout != nil {
                throw ValidationError(
                    "--timeout cannot be given with a container: only the list of what a device offers is waited for.")
            }
            return
        }
        if path != nil { throw ValidationError("--path wants a container.") }
        if merge { throw ValidationError("--merge wants a container.") }
    }

    mutating func run() throws {
        var client = try BlockingSharingClient(helper.target(daemon))
        let status = try client.status()
        try status.checkRunning()
        let other = try DeviceArgument.resolve(device, among: status.devices.filter { !$0.isHere })
        guard other != status.thisDevice?.identifier else {
            throw Failure(status: ExitStatus.usage, "\(other) is this device; the ID of the other one is needed")
        }
        guard let container = container.map({ ContainerIdentifier($0) }) else {
            try client.admit(other, name: name, addresses: addresses, among: status)
            return try list(other)
        }
        let path = try makeContainer(container)
        // Its documents are a folder for themselves, so the directory has to exist.
        if status.offers.contains(where: { $0.device == other && $0.container == container && $0.isDocuments }) {
            try JoinDirectory(path + "/Documents").make(mayHaveFiles: true)
        }
        try client.admit(other, name: name, addresses: addresses, among: status)
        _ = try ShareCommand.share(container, with: [other], helper.target(daemon))
        let now = try client.status()
        let sync = ContainerSync(container, path: path, now)
        var output = Output()
        if json {
            output.line(sync.object(now))
            return output.flush()
        }
        output.line(
            "\(container) is shared with \(now.name(of: other)): \(DisplayText.escaped(path))")
        // The other device may know this one already.
        let isOffered = status.offers.contains { $0.device == other && $0.container == container }
        if !isOffered, let here = now.thisDevice?.identifier {
            output.line("on the other device: gather share \(ShellText.quoted(container.rawValue)) --with \(here)")
        }
        output.line("how far it is: gather sync status\(daemon.words) \(ShellText.quoted(container.rawValue))")
        output.flush()
    }

    // MARK: The container

    /// Makes the container, or has gatherd share one that exists. Returns its directory.
    private func makeContainer(_ container: ContainerIdentifier) throws -> String {
        var gatherd = try daemon.connect()
        let found = try gatherd.containers().first { $0.identifier == container }
        guard let found else {
            let place = try JoinDirectory(path ?? JoinDirectory.usual(container.rawValue))
            try place.make(mayHaveFiles: merge)
            return try gatherd.addContainer(
                container, path: place.resolved(), packages: [], ignore: [], sync: SharingProgram.name
            ).path
        }
        if let path, try RealPath.text(path) != RealPath.text(found.path) {
            throw Failure(
                status: ExitStatus.usage,
                "the container '\(container)' is at \(DisplayText.escaped(found.path)) here; leave --path out")
        }
        if found.sync != nil { return found.path }
        try JoinDirectory(found.path).make(mayHaveFiles: merge)
        return try ShareCommand.prepare(container, &gatherd)
    }

    // MARK: Offers

    /// Waits for the device, and prints the containers that it offers.
    private func list(_ other: String) throws {
        var client = try BlockingSharingClient(helper.target(daemon))
        let progress = Progress()
        let start = ContinuousClock.now
        let limit = Duration.milliseconds(timeout?.milliseconds ?? Self.usualTimeout)
        var connected: ContinuousClock.Instant?
        var latest: SharingStatus?
        try client.monitor(every: .milliseconds(Self.tick)) { status in
            if let status { latest = status }
            let now = ContinuousClock.now
            let device = latest?.devices.first { $0.identifier == other }
            if device?.isConnected == true { connected = connected ?? now } else { connected = nil }
            if latest?.offers.contains(where: { $0.device == other }) == true { return false }
            if let connected, now - connected >= min(.milliseconds(Self.offersTimeout), limit) { return false }
            guard now - start < limit else { return false }
            let seconds = (limit - (now - start)).components.seconds + 1
            let name = device?.displayName ?? String(other.prefix { $0 != "-" })
            progress.show(
                connected == nil
                    ? "connecting to \(name), \(seconds) s left" : "\(name) is connected; waiting for what it offers")
            return true
        }
        progress.clear()
        let status = latest ?? SharingStatus(unreachable: "it has not answered")
        try status.checkRunning()
        let offers = status.offers.filter { $0.device == other }
        print(offers, status)
        guard offers.isEmpty else { return }
        try fail(other, status, isConnected: connected != nil)
    }

    private func print(_ offers: [SharingOffer], _ status: SharingStatus) {
        var output = Output()
        var containers: [ContainerIdentifier] = []
        for offer in offers where !containers.contains(offer.container) { containers.append(offer.container) }
        for container in containers.sorted() {
            if json {
                var line = JSONLine()
                line.add("container", container.rawValue)
                line.add("device", offers[0].device)
                line.add("folders", offers.filter { $0.container == container }.map(\.folder))
                output.line(line.bytes())
            } else {
                output.line(DisplayText.escaped(container.rawValue))
            }
        }
        output.flush()
        guard let first = containers.min(), Terminal.isTerminal(), !json else { return }
        let name = status.devices.first { $0.identifier == offers[0].device }?.argument ?? offers[0].device
        Output.note("to get one: gather join\(daemon.words) \(name) \(ShellText.quoted(first.rawValue))")
    }

    /// Says what to do where nothing is offered.
    private func fail(_ other: String, _ status: SharingStatus, isConnected: Bool) throws {
        let name = status.name(of: other)
        let here = status.thisDevice?.identifier ?? "ID"
        let shared = Set(
            status.folders.filter { $0.shares.contains { $0.device == other } }.map(\.container)
        ).sorted()
        if isConnected {
            guard shared.isEmpty else {
                let names = shared.map { DisplayText.escaped($0.rawValue) }.joined(separator: ", ")
                return Output.note("\(name) offers nothing else than what is shared with it already: \(names)")
            }
            throw Failure("\(name) is connected and offers nothing. There: gather share NAME --with \(here)")
        }
        throw Failure(
            status: ExitStatus.timeout,
            "\(name) is added and not connected yet. There: gather join \(here), and both have to reach each other: "
                + "port 22000 is open, or --address names it")
    }
}
