// The file that keeps the identifier of a device.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import LinuxSystem
internal import SaveFiles

/// The file `device` in a state directory: a line for each machine that uses the directory.
///
/// The first line is `gather device 1`. The others have the hash of the machine's `machine-id`, a random number, and the
/// identifier. The identifier follows from the two before it, which makes damage visible. Several machines have a line where
/// they share a home directory.
struct DeviceFile {
    /// The directory; nil where the environment names none.
    let directory: String?
    /// The contents of `/etc/machine-id`; nil where there is none.
    let machine: String?

    private static let header = "gather device 1"
    /// The most machines in a file. Where more share a directory, the oldest lines go.
    static let mostMachines = 64
    /// The largest file that is read, in bytes.
    static let largestSize = 16_384

    /// The directory `gather` in ``StateDirectory``.
    static var standardDirectory: String? { StateDirectory.path.map { $0 + "/gather" } }

    /// The contents of `/etc/machine-id` (machine-id(5)). A machine that has not booted yet has none, or `uninitialized`.
    static var machineIdentifier: String? {
        guard let bytes = try? FileBytes.read("/etc/machine-id", limit: 4_096) else { return nil }
        let digits = String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }
        return digits.utf8.count == 32 && digits.allSatisfy(\.isHexDigit) ? digits : nil
    }

    /// Returns the identifier of the machine, and makes it if it is missing.
    func identifier() throws(DocumentError) -> DeviceIdentifier {
        guard let directory else { return try derived(path: nil, code: ENOENT) }
        let path = directory + "/device"
        if let kept = DeviceFile.record(of: hash, in: DeviceFile.lines(of: path)) { return named(kept) }
        do throws(SystemError) {
            return named(try make(in: directory, path: path))
        } catch {
            return try derived(path: path, code: error.code)
        }
    }

    /// machine-id(5) asks that the number itself be kept from others, so the file has its hash.
    private var hash: String { StableHash.text(of: Array("gather device machine ".utf8) + Array((machine ?? "").utf8)) }

    private func named(_ text: String) -> DeviceIdentifier {
        let name = DeviceIdentifier.hostName
        return DeviceIdentifier(text: text, name: name)
            ?? DeviceIdentifier(unchecked: text, name: DeviceIdentifier.unnamed)
    }

    private func make(in directory: String, path: String) throws(SystemError) -> String {
        try FileBytes.makeDirectories(Array(directory.utf8), mode: 0o700)
        // The lock has a file of its own, since the other one is replaced.
        let lock = try LockedFile(path + ".lock", waits: true)
        defer { withExtendedLifetime(lock) {} }
        let lines = DeviceFile.lines(of: path)
        if let kept = DeviceFile.record(of: hash, in: lines) { return kept }
        var generator = SystemRandomNumberGenerator()
        let random = StableHash.text(generator.next()) + StableHash.text(generator.next())
        let text = DeviceFile.identifier(machine: hash, random: random)
        let others = lines.filter { DeviceFile.fields(of: $0).map { $0.machine != hash } ?? false }
        let records = others.suffix(DeviceFile.mostMachines - 1).map(String.init) + ["\(hash) \(random) \(text)"]
        let contents = ([DeviceFile.header] + records).map { $0 + "\n" }.joined()
        try FileReplacement.replace(path, through: .named("device.new"), with: Array(contents.utf8))
        return text
    }

    private func derived(path: String?, code: Int32) throws(DocumentError) -> DeviceIdentifier {
        guard let machine else {
            let place = path.map { "the file \($0) cannot be kept" } ?? "neither XDG_STATE_HOME nor HOME is set"
            throw DocumentError(
                code: .unidentifiedDevice,
                message: "this device cannot be identified: \(place): \(SystemError(code: code)), "
                    + "and there is no /etc/machine-id; set XDG_STATE_HOME to a directory that can be written",
                path: path, errno: code)
        }
        let seed = Array("gather device user \(getuid()) machine \(machine)".utf8)
        return named(DeviceIdentifier.text(ofHash: StableHash.value(of: seed)))
    }

    private static func identifier(machine: String, random: String) -> String {
        DeviceIdentifier.text(ofHash: StableHash.value(of: Array("gather device \(machine) \(random)".utf8)))
    }

    /// The lines after the header; none if the file is missing, too large or of another form.
    private static func lines(of path: String) -> [Substring] {
        guard let bytes = try? FileBytes.read(path, limit: largestSize) else { return [] }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        return lines.first.map { $0 == header } ?? false ? Array(lines.dropFirst()) : []
    }

    private static func fields(of line: Substring) -> (machine: Substring, random: Substring, text: Substring)? {
        let fields = line.split(separator: " ", omittingEmptySubsequences: false)
        guard fields.count == 3, fields[1].utf8.count == 32,
            fields[2] == identifier(machine: String(fields[0]), random: String(fields[1]))
        else { return nil }
        return (fields[0], fields[1], fields[2])
    }

    private static func record(of machine: String, in lines: [Substring]) -> String? {
        for line in lines {
            if let fields = fields(of: line), fields.machine == machine { return String(fields.text) }
        }
        return nil
    }
}

extension DeviceIdentifier {
    /// Makes an identifier from parts that are known to be right.
    fileprivate init(unchecked text: String, name: String) {
        self.text = text
        self.name = name
    }
}
