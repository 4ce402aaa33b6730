// Reads gatherd.toml and containers.d into a configuration, or says which file, line and key is wrong.
// SPDX-License-Identifier: Apache-2.0

import Logging
import SystemPackage

/// Reads the configuration's files.
package enum ConfigurationLoader {
    /// Reads `file` and the `containers.d` directory beside it. A file that is not there is an empty one, unless
    /// `required`; a file that is wrong is refused.
    ///
    /// A container that overlaps another is refused, or `toleratingOverlaps` dealt with as ``add(_:to:from:)`` says.
    package static func load(
        file: String, required: Bool, toleratingOverlaps: Bool = false
    ) throws(ConfigurationError) -> DaemonConfiguration {
        var configuration = DaemonConfiguration()
        configuration.toleratesOverlaps = toleratingOverlaps
        if let text = try read(file, required: required) {
            try apply(text, of: file, to: &configuration)
        }
        let directory = FilePath(file).removingLastComponent().appending("containers.d").string
        for name in try names(in: directory) where name.hasSuffix(".toml") && !name.hasPrefix(".") {
            let path = directory + "/" + name
            guard let text = try read(path, required: true) else { continue }
            let container = try container(text, of: path, identifier: String(name.dropLast(".toml".count)))
            try add(container, to: &configuration, from: path)
        }
        return configuration
    }

    /// Adds a container, refusing a second one of the same identifier and one that overlaps another.
    ///
    /// Where the configuration tolerates overlaps, one that lies within another is taken: it waits for a file system to be
    /// mounted there, which at a start may come later. One with the same directory is left out, and that is noted.
    package static func add(
        _ container: ContainerConfiguration, to configuration: inout DaemonConfiguration, from source: String
    ) throws(ConfigurationError) {
        if configuration.places.container(container.identifier) != nil {
            throw ConfigurationError(file: source, message: "container '\(container.identifier)' is defined twice")
        }
        let place = ContainerPlace(container)
        let others =
            configuration.toleratesOverlaps
            ? configuration.places.sharing(place) : configuration.places.overlapping(place)
        if let other = others.first?.container {
            let error = ConfigurationError(
                file: source,
                message: "container '\(container.identifier)' at \(container.path) overlaps '\(other.identifier)' at "
                    + other.path)
            guard configuration.toleratesOverlaps else { throw error }
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
    ) throws(ConfigurationError) -> ContainerConfiguration {
        var file = try TOMLFile(path: path, text: text)
        let directory = try file.string("path")
        let packages = try file.strings("packages") ?? []
        let ignore = try file.strings("ignore") ?? []
        try file.finish()
        guard let directory else { throw ConfigurationError(file: path, message: "'path' is missing") }
        do {
            return try ContainerConfiguration(
                identifier: identifier, path: directory, packages: packages, ignore: ignore, origin: .file(path))
        } catch {
            throw ConfigurationError(file: path, line: file.line(of: "path"), message: error.message)
        }
    }

    static func read(_ path: String, required: Bool) throws(ConfigurationError) -> String? {
        do {
            let file = try FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .nonBlocking])
            return try file.closeAfter {
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

    private static func names(in directory: String) throws(ConfigurationError) -> [String] {
        do {
            return try DirectoryNames.sorted(in: directory)
        } catch Errno.noSuchFileOrDirectory {
            return []
        } catch {
            throw ConfigurationError(file: directory, message: "cannot be read: \(error)")
        }
    }
}
