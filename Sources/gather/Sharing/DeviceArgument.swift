// A device on the command line.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit

/// A device as a person types it: its name, its identifier, or the beginning of that.
enum DeviceArgument {
    /// The characters of an identifier without hyphens, and of one of its groups.
    private static let length = 56
    private static let groupLength = 7

    /// Returns a whole identifier in its usual form: capital letters, and a hyphen after each seven. Nil for other text.
    static func identifier(_ text: String) -> String? {
        let characters = text.uppercased().filter { $0 != "-" && $0 != " " }
        guard characters.count == length, characters.allSatisfy(isDigit) else { return nil }
        var groups: [String] = []
        var rest = characters[...]
        while !rest.isEmpty {
            groups.append(String(rest.prefix(groupLength)))
            rest = rest.dropFirst(groupLength)
        }
        return groups.joined(separator: "-")
    }

    /// Whether a character is a digit of base 32 (RFC 4648), or is often read for one.
    private static func isDigit(_ character: Character) -> Bool {
        ("A"..."Z").contains(character) || ("0"..."9").contains(character)
    }

    /// Returns the identifier of the device that a text means among those that are known, or a whole identifier of
    /// another one.
    static func resolve(_ text: String, among devices: [SharingDevice]) throws(Failure) -> String {
        if let whole = identifier(text) { return whole }
        let named = devices.filter { $0.name.lowercased() == text.lowercased() }
        let begun = text.uppercased()
        let found = named.isEmpty && !text.isEmpty ? devices.filter { $0.identifier.hasPrefix(begun) } : named
        switch found.count {
        case 1: return found[0].identifier
        case 0:
            throw Failure(
                status: ExitStatus.usage,
                "there is no device '\(DisplayText.escaped(text))'; 'gather devices' lists those there are. "
                    + "A new one is named by its whole ID")
        default:
            let choices = found.map(\.shortIdentifier).joined(separator: ", ")
            throw Failure(
                status: ExitStatus.usage,
                "'\(DisplayText.escaped(text))' may be several devices: \(choices). Take one of these")
        }
    }

    /// Returns several of them, each with the name behind its equals sign. A device whose own name has such a sign is found by it.
    static func named(
        _ texts: [String], among devices: [SharingDevice]
    ) throws(Failure) -> [(identifier: String, name: String?)] {
        var found: [(identifier: String, name: String?)] = []
        for text in texts {
            let sign = text.firstIndex(of: "=")
            let isName = devices.contains { $0.name.lowercased() == text.lowercased() }
            var name: String?
            if let sign, !isName { name = String(text[text.index(after: sign)...]) }
            if name == "" {
                throw Failure(status: ExitStatus.usage, "'\(DisplayText.escaped(text))' has no name behind the '='")
            }
            let device = name == nil ? text : String(text[..<(sign ?? text.endIndex)])
            let identifier = try resolve(device, among: devices)
            if let place = found.firstIndex(where: { $0.identifier == identifier }) {
                found[place].name = name ?? found[place].name
            } else {
                found.append((identifier, name))
            }
        }
        return found
    }
}

extension SharingDevice {
    /// The name for a terminal; the first group of the identifier for a device without a name.
    var displayName: String { name.isEmpty ? shortIdentifier : DisplayText.escaped(name) }

    /// The name as an argument of a suggested command.
    var argument: String { name.isEmpty ? shortIdentifier : ShellText.quoted(name) }
}

extension SharingStatus {
    /// The name of a device for a terminal.
    func name(of device: String) -> String {
        devices.first { $0.identifier == device }?.displayName ?? String(device.prefix { $0 != "-" })
    }

    /// Throws if Syncthing does not answer.
    func checkRunning() throws(Failure) {
        guard !isRunning else { return }
        throw Failure(
            status: ExitStatus.unreachable,
            "Syncthing does not answer\(reason.map { ": \(DisplayText.escaped($0))" } ?? ""). "
                + "Start it, and gather-syncd finds it by itself; what mends the rest: gather doctor")
    }
}
