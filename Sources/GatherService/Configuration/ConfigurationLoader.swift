// Reads gatherd.toml and containers.d into a configuration.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import Logging
import SystemPackage

/// Reads the configuration files. An error names the file, the line and the key.
package enum ConfigurationLoader {
    /// Reads `file` and the directory `containers.d` beside it. A missing file counts as empty unless `required`.
    /// Throws if a file is invalid.
    ///
    /// The rule decides on a container that overlaps another one (``add(_:to:from:)``).
    package static func load(
        file: String, required: Bool, overlaps: OverlapRule = .refused
    ) throws(ConfigurationError) -> DaemonConfiguration {
        var configuration = DaemonConfiguration()
        configuration.overlaps = overlaps
        if let text = try read(file, required: required) {
            try apply(text, of: file, to: &configuration)
        }
        let directory = FilePath(file).removingLastComponent().appending("containers.d").string
        for name in try names(in: directory) where name.hasSuffix(".toml") && !name.hasPrefix(".") {
            let path = directory + "/" + name
            guard let text = try read(path, required: true) else { continue }
            let (container, line) = try container(text, of: path, identifier: String(name.dropLast(".toml".count)))
            configuration.lines[container.identifier] = line
            try add(container, to: &configuration, from: path)
        }
        return configuration
    }

    /// Adds a container, or leaves it out and records the reason, by the configuration's ``OverlapRule``. Throws if another one
    /// has its identifier, or overlaps it against the rule.
    package static func add(
        _ container: ContainerConfiguration, to configuration: inout DaemonConfiguration, from source: String
    ) throws(ConfigurationError) {
        if configuration.places.container(container.identifier) != nil {
            throw ConfigurationError(file: source, message: "container '\(container.identifier)' is defined twice")
        }
        let place = ContainerPlace(container)
        let others =
            configuration.overlaps.permitsWaiting(container)
            ? configuration.places.sharing(place) : configuration.places.overlapping(place)
        if let other = others.first?.container {
            let error = ConfigurationError(
                file: source, line: configuration.lines[container.identifier] ?? 0,
                message: "container '\(container.identifier)' at \(container.path) overlaps '\(other.identifier)' at "
                    + other.path)
            guard configuration.overlaps == .tolerated else { throw error }
            configuration.leftOut.append(error)
            return
        }
        if configuration.places.all.count >= Limits.containers {
            throw ConfigurationError(file: source, message: "more than \(Limits.containers) containers")
        }
        configuration.places.append(place)
    }

    private static func apply(
        _ text: String, of path: String, to configuration: inout DaemonConfiguration
    ) throws(ConfigurationError) {
        var file = try TOMLFile(path: path, text: text)
        if let group = try file.string("socket-group") {
            guard !group.isEmpty else { throw file.wrong("socket-group", "the name of a group") }
            configuration.socketGroup = group
            configuration.namesSocketGroup = true
        }
        if let user = try file.string("sync-user") {
            guard !user.isEmpty else { throw file.wrong("sync-user", "the name of a user") }
            configuration.syncUser = user
        }
        if let share = try file.number("watch-share") {
            guard share > 0, share <= 1 else { throw file.wrong("watch-share", "more than 0 and at most 1") }
            configuration.watchShare = share
        }
        if let interval = try file.duration("poll-interval") { configuration.pollInterval = interval }
        if let interval = try file.duration("snapshot-interval") { configuration.snapshotInterval = interval }
        if let interval = try file.duration("audit-interval", orOff: true) { configuration.auditInterval = interval }
        if let share = try file.number("audit-share") {
            guard share > 0, share <= 1 else { throw file.wrong("audit-share", "more than 0 and at most 1") }
            configuration.auditShare = share
        }
        if let level = try file.string("log-level") {
            guard let level = Logger.Level(rawValue: level) else {
                throw file.wrong(
                    "log-level", "one of " + Logger.Level.allCases.map(\.rawValue).joined(separator: ", "))
            }
            configuration.logLevel = level
        }
        try file.finish()
    }

    private static func container(
        _ text: String, of path: String, identifier: String
    ) throws(ConfigurationError) -> (ContainerConfiguration, line: Int) {
        var file = try TOMLFile(path: path, text: text)
        let directory = try file.string("path")
        let packages = try file.strings("packages") ?? []
        let ignore = try file.strings("ignore") ?? []
        let sync = try file.string("sync")
        try file.finish()
        guard let directory else { throw ConfigurationError(file: path, message: "'path' is missing") }
        do {
            let container = try ContainerConfiguration(
                identifier: identifier, path: directory, packages: packages, ignore: ignore, sync: sync,
                origin: .file(path))
            return (container, file.line(of: "path"))
        } catch {
            throw ConfigurationError(file: path, line: file.line(of: "path"), message: error.message)
        }
    }

    static func read(_ path: String, required: Bool) throws(ConfigurationError) -> String? {
        do {
            let file = try FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .nonBlocking])
            return try file.closeAfter {
                guard isReadable(file.rawValue) else {
                    throw ConfigurationError(file: path, message: "is not a regular file")
                }
                var bytes: [UInt8] = []
                while bytes.count <= Limits.configurationBytes {
                    let chunk = try [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
                        count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
                    }
                    if chunk.isEmpty { break }
                    bytes += chunk
                }
                guard bytes.count <= Limits.configurationBytes else {
                    throw ConfigurationError(
                        file: path, message: "is larger than \(Limits.configurationBytes) bytes")
                }
                guard let text = String(validating: bytes, as: UTF8.self) else {
                    throw ConfigurationError(file: path, message: "is not UTF-8")
                }
                return text
            }
        } catch let error as ConfigurationError {
            throw error
        } catch Errno.noSuchFileOrDirectory where !required {
            return nil
        } catch {
            throw ConfigurationError(file: path, message: "cannot be read: \(error)")
        }
    }

    /// Whether a descriptor is a regular file or `/dev/null`. A FIFO without a writer would read as an empty file, and
    /// other devices have no end.
    private static func isReadable(_ descriptor: CInt) -> Bool {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return false }
        // major 1, minor 3 (null(4))
        return status.st_mode & S_IFMT == S_IFREG || (status.st_mode & S_IFMT == S_IFCHR && status.st_rdev == 0x103)
    }

    private static func names(in directory: String) throws(ConfigurationError) -> [String] {
        do {
            return try Directory.names(in: directory)
        } catch .noEntry {
            return []
        } catch {
            throw ConfigurationError(file: directory, message: "cannot be read: \(error)")
        }
    }
}
