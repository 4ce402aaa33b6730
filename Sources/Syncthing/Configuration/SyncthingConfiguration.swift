// The part of Syncthing's configuration file that a client needs.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Varlink

/// The address and the API key of Syncthing's REST interface. The key must not be written anywhere.
package struct SyncthingConfiguration: Sendable, Hashable {
    package var address: SyncthingAddress
    package var key: String
    /// The users whose programs may get the key.
    package var users: Set<UInt32>

    /// Makes a configuration from its parts.
    ///
    /// - Parameter users: The users whose programs may get the key: root and the user of this process, unless given.
    package init(address: SyncthingAddress, key: String, users: Set<UInt32> = [0, geteuid()]) {
        self.address = address
        self.key = key
        self.users = users
    }

    /// Reads the file at `path`. Programs of its owner and of root may get the key.
    package init(file path: String) throws(SyncthingError) {
        let (bytes, owner) = try SyncthingConfiguration.read(path, limit: SyncthingLimits.configurationBytes)
        self = try SyncthingConfiguration(parsing: bytes, file: path)
        users = Set([0, UnmappedIDs.ofThisProcess.user(owner)]).subtracting([UnmappedIDs.none])
    }

    /// Reads the bytes of the file at `path`, which only errors name.
    package init(parsing bytes: [UInt8], file path: String) throws(SyncthingError) {
        let settings: GUISettings
        do throws(XMLError) { settings = try GUISettings(parsing: bytes) } catch {
            throw .configuration(file: path, message: "line \(error.line): \(error.message)")
        }
        guard settings.isEnabled else {
            throw .configuration(
                file: path, message: "Syncthing's REST interface is off (<gui enabled=\"false\">); turn it on")
        }
        guard let address = SyncthingAddress(text: settings.address) else {
            throw .configuration(
                file: path,
                message:
                    "the address '\(settings.address)' of <gui> is not on this machine; use a Unix socket or 127.0.0.1")
        }
        if settings.isTLS, case .loopback = address {
            throw .configuration(
                file: path,
                message:
                    "<gui tls=\"true\"> is not supported; use a Unix socket or plain http on 127.0.0.1 as the address")
        }
        guard !settings.key.isEmpty, settings.key.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw .configuration(file: path, message: "<gui> has no usable <apikey>")
        }
        self.init(address: address, key: settings.key)
    }

    /// Reads a file of at most `limit` bytes, and its owner.
    static func read(_ path: String, limit: Int) throws(SyncthingError) -> (bytes: [UInt8], owner: UInt32) {
        func failure() -> SyncthingError { .configuration(file: path, message: String(cString: strerror(errno))) }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw failure() }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure() }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = Glibc.read(descriptor, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure() }
            if count == 0 { return (bytes, status.st_uid) }
            bytes += part[..<count]
            guard bytes.count <= limit else {
                throw .configuration(file: path, message: "longer than \(limit) bytes")
            }
        }
    }
}
