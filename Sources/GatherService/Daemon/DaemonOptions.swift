// The options of a daemon. The command line takes precedence over the files.
// SPDX-License-Identifier: Apache-2.0

package import FileWatching
package import LinuxSystem
package import Logging
package import Metadata

/// The options of a daemon.
package struct DaemonOptions: Sendable {
    /// The source of the socket.
    package enum Socket: Sendable, Equatable {
        /// Bound by the daemon itself. For the system service, and where the configuration names `socket-group`, that
        /// group may connect (mode 0660). Else root and the daemon's own user may (mode 0600): the daemon refuses all
        /// others.
        case path(String, isSystem: Bool)
        /// A socket of the service manager, with the mode of the socket unit.
        case inherited(descriptor: CInt)
        /// No socket. The program that embeds the engine attaches connected sockets.
        case embedded

        /// Whether users other than root and the daemon's own may connect. Such callers are told only what the kernel
        /// would let them list. A passed socket may be open to all users.
        func isShared(namesGroup: Bool) -> Bool {
            switch self {
            case .path(_, let isSystem): isSystem || namesGroup
            case .inherited: true
            case .embedded: false
            }
        }

        /// Whether the daemon serves the system, not one user.
        var isSystem: Bool {
            switch self {
            case .path(_, let isSystem): isSystem
            case .inherited: true
            case .embedded: false
            }
        }
    }

    /// Calls a function when a file system is mounted or unmounted.
    package typealias WatchMounts = @Sendable (@escaping @Sendable () -> Void) throws(SystemError) -> MountWatch
    /// Calls a function when the time of day is set.
    package typealias WatchClock = @Sendable (@escaping @Sendable () -> Void) throws(SystemError) -> ClockWatch
    /// Forces a file to the disk (fsync(2)).
    package typealias ForceToDisk = @Sendable (borrowing Descriptor) throws(SystemError) -> Void

    private static func watchMounts(_ wake: @escaping @Sendable () -> Void) throws(SystemError) -> MountWatch {
        try MountWatch(wake: wake)
    }

    static func watchClock(_ wake: @escaping @Sendable () -> Void) throws(SystemError) -> ClockWatch {
        try ClockWatch(wake: wake)
    }

    static func forceToDisk(_ file: borrowing Descriptor) throws(SystemError) { try file.synchronize() }

    /// The configuration file; nil if none is read.
    package var configurationFile: String?
    /// Whether a missing configuration file is an error, since the command line names it.
    package var configurationIsRequired: Bool
    package var socket: Socket
    /// The state directory; nil if no state is kept. The daemon then writes nothing at all.
    package var stateDirectory: String?
    /// The containers of the command line.
    package var containers: [ContainerConfiguration]
    /// The log level; nil for that of the configuration.
    package var logLevel: Logger.Level?
    /// Whether changes are watched. If false, each container is read once.
    package var watches = true
    /// Whether subdirectories of a container's directory are read.
    package var descends = true
    /// The descriptors that the service manager kept for this process, which owns them.
    package var storedDescriptors: [StoredDescriptor] = []
    /// The directory of the user's session with the socket; nil if the path was named.
    package var runtimeDirectory: RuntimeDirectory?
    /// The directories with the database of content types.
    package var dataDirectories: [String]
    /// The limits, which a test may lower.
    package var limits = ServiceLimits()
    /// The account names of the system. A test may use others.
    package var accounts = AccountDirectory.system
    /// The time zone database, and the zone of callers who name none. A test may use another.
    package var zones = ZoneFiles.system
    /// Returns the watches in the kernel. A test may use a kernel that does not list them.
    package var askForWatches: @Sendable (LinuxKernel) -> [Int32: UInt64]? = { $0.watches() }
    /// Watches for mounts. A test may use a machine that has no resources for it.
    package var watchMounts: WatchMounts = DaemonOptions.watchMounts
    /// Watches for changes of the time of day. A test may use a kernel without them.
    package var watchClock: WatchClock = DaemonOptions.watchClock
    /// Returns the time of day. A test may use another clock.
    package var timeOfDay: @Sendable () -> Timestamp = { .now }
    /// Forces the journal to the disk. A test may use a disk that fails.
    package var forceToDisk: ForceToDisk = DaemonOptions.forceToDisk

    /// Makes options. Must be called before other threads exist, since it reads the environment.
    package init(
        configurationFile: String?, configurationIsRequired: Bool, socket: Socket, stateDirectory: String?,
        containers: [ContainerConfiguration] = [], logLevel: Logger.Level? = nil
    ) {
        self.configurationFile = configurationFile
        self.configurationIsRequired = configurationIsRequired
        self.socket = socket
        self.stateDirectory = stateDirectory
        self.containers = containers
        self.logLevel = logLevel
        dataDirectories = ContentTypeFiles.directories(isSystem: socket.isSystem)
    }

    /// Merges the files and the command line.
    package func configuration(overlaps: OverlapRule = .refused) throws(ConfigurationError) -> DaemonConfiguration {
        var configuration = DaemonConfiguration()
        configuration.overlaps = overlaps
        if let configurationFile {
            configuration = try ConfigurationLoader.load(
                file: configurationFile, required: configurationIsRequired, overlaps: overlaps)
        }
        for container in containers {
            try ConfigurationLoader.add(container, to: &configuration, from: "--container")
        }
        if let logLevel { configuration.logLevel = logLevel }
        return configuration
    }
}
