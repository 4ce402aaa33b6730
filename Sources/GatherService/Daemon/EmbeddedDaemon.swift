// The engine inside another program.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import Logging
import NIOCore
import NIOPosix
import Synchronization

/// The daemon inside a program, which calls it over socket pairs.
///
/// It has no socket file, reads no configuration, writes nothing and handles no signals. All callers see everything,
/// since they are the program. It ends with ``close()`` or with the process.
package final class EmbeddedDaemon: Sendable {
    /// The reason for which there is no engine or no connection.
    package enum Failure: Error, Sendable, Equatable {
        /// Directories that cannot be containers, with the reason as a sentence.
        case directories(String)
        /// The errno of a call that the engine needs, for inotify, threads or sockets.
        case system(CInt)
    }

    private let group: MultiThreadedEventLoopGroup
    private let core: NIOLoopBound<DaemonCore>
    /// Whether the daemon has ended. A call to an ended event loop would wait for ever.
    private let isClosed = Atomic(false)

    /// Starts to read directories, given by absolute paths without symbolic links.
    ///
    /// A directory inside another one is part of it, unless a file system is mounted between. Blocks until calls are
    /// served, not until anything is read. Must not be called on an event loop.
    ///
    /// - Parameters:
    ///   - watches: Whether changes are followed. If false, no watches are used, and each directory is read once.
    ///   - descends: Whether everything below is read. If false, only the entries of each directory are read, and no
    ///     directory may be inside another one.
    ///   - warn: Called from any thread with each warning, a sentence.
    package init(
        directories: [String], watches: Bool, descends: Bool = true, warn: @escaping @Sendable (String) -> Void
    ) throws(Failure) {
        let containers: [ContainerConfiguration]
        do throws(ConfigurationError) {
            containers = try EmbeddedDaemon.containers(directories)
        } catch {
            throw .directories("\(error)")
        }
        var options = DaemonOptions(
            configurationFile: nil, configurationIsRequired: false, socket: .embedded, stateDirectory: nil,
            containers: containers, logLevel: .warning)
        options.watches = watches
        options.descends = descends
        options.accounts = .files
        let logger = Logger(label: "gather", factory: { _ in WarningHandler(warn: warn) })
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        self.group = group
        do {
            let core = try loop.submit { [options] in
                NIOLoopBound(
                    try DaemonCore(options: options, observer: SilentObserver(), logger: logger, loop: loop),
                    eventLoop: loop)
            }.wait()
            try loop.flatSubmit { core.value.listen() }.wait()
            self.core = core
        } catch {
            try? group.syncShutdownGracefully()
            throw (error as? SystemError).map { .system($0.code) } ?? .directories("\(error)")
        }
    }

    /// Opens a connection and returns its blocking end, which the caller owns. May be called from any thread.
    package func connect() throws(Failure) -> CInt {
        var ends: [CInt] = [-1, -1]
        let type = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw .system(errno) }
        let (core, end) = (core, ends[1])
        group.next().execute { core.value.attach(descriptor: end) }
        return ends[0]
    }

    /// Ends all threads and connections, and blocks until that is done. Must not be called on an event loop. A second
    /// call does nothing.
    package func close() {
        guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        let core = core
        try? group.next().flatSubmit { core.value.close() }.wait()
        try? group.syncShutdownGracefully()
    }

    /// Returns a container for each directory that is not inside another one, named after it.
    static func containers(_ directories: [String]) throws(ConfigurationError) -> [ContainerConfiguration] {
        var places = ContainerPlaces()
        // Outer directories come first.
        for path in directories.sorted(by: { $0.utf8.count < $1.utf8.count }) {
            let name = identifier(for: path)
            var (identifier, number) = (name, 1)
            while places.container(identifier) != nil {
                number += 1
                identifier = "\(name)-\(number)"
            }
            do {
                let container = try ContainerConfiguration(identifier: identifier, path: path, origin: .argument)
                let place = ContainerPlace(container)
                if places.overlapping(place).isEmpty { places.append(place) }
            } catch {
                throw ConfigurationError(file: path, message: error.message)
            }
        }
        return places.containers
    }

    /// Returns the directory's name with the characters of an identifier.
    private static func identifier(for path: String) -> String {
        var name = String(path.split(separator: "/").last ?? "root").unicodeScalars.map { scalar -> Character in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "-", "_", ".": Character(scalar)
            default: "_"
            }
        }[...]
        while let first = name.first, first == "." || first == "-" { name = name.dropFirst() }
        return name.isEmpty ? "directory" : String(name.prefix(longestName))
    }

    /// The longest name. It leaves room for a number behind it.
    private static let longestName = 64
}

/// Passes on the text of warnings.
private struct WarningHandler: LogHandler {
    let warn: @Sendable (String) -> Void
    var logLevel: Logger.Level = .warning
    var metadata: Logger.Metadata = [:]

    init(warn: @escaping @Sendable (String) -> Void) { self.warn = warn }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        guard event.level >= .warning else { return }
        warn("\(event.message)")
    }
}
