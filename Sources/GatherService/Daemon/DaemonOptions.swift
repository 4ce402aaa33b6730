// What a daemon is started with: the command line's say, over the files.
// SPDX-License-Identifier: Apache-2.0

package import FileWatching
package import LinuxSystem
package import Logging

/// What a daemon is started with.
package struct DaemonOptions: Sendable {
    /// Where the socket comes from.
    package enum Socket: Sendable, Equatable {
        /// Bound by the daemon itself. For the system service the configured group may connect (mode 0660), for a user
        /// nobody else (0600 in a directory of mode 0700).
        case path(String, isSystem: Bool)
        /// Passed by the service manager, with its mode as the socket unit says.
        case inherited(descriptor: CInt)
        /// None: the program that the engine runs in attaches connected ones.
        case embedded

        /// Whether others than root and the daemon's own user may be meant to connect; such callers are told only what the
        /// kernel would let them list. Who hands over a socket may have opened it to anybody.
        var isShared: Bool {
            switch self {
            case .path(_, let isSystem): isSystem
            case .inherited: true
            case .embedded: false
            }
        }
    }

    /// Calls what it is given when something was mounted or unmounted.
    package typealias WatchMounts = @Sendable (@escaping @Sendable () -> Void) throws(SystemError) -> MountWatch
    /// Forces a file to the disk.
    package typealias ForceToDisk = @Sendable (borrowing Descriptor) throws(SystemError) -> Void

    private static func watchMounts(_ wake: @escaping @Sendable () -> Void) throws(SystemError) -> MountWatch {
        try MountWatch(wake: wake)
    }

    static func forceToDisk(_ file: borrowing Descriptor) throws(SystemError) { try file.synchronize() }

    /// Nil where none is read.
    package var configurationFile: String?
    /// Whether a missing configuration file is an error: it is where the command line named it.
    package var configurationIsRequired: Bool
    package var socket: Socket
    /// Nil where nothing is kept: then nothing at all is written.
    package var stateDirectory: String?
    /// Containers of the command line.
    package var containers: [ContainerConfiguration]
    /// Overrides the configuration's level.
    package var logLevel: Logger.Level?
    /// Whether changes are watched for; without, each container is read once.
    package var watches = true
    /// Whether what lies deeper than right in a container's directory is read.
    package var descends = true
    /// What a service manager has kept of the daemon before this one, which is owned by this one.
    package var kept: [KeptDescriptor] = []
    /// Where the database of content types is looked for.
    package var dataDirectories: [String]
    /// The house limits, where no test lowers them.
    package var limits = ServiceLimits()
    /// The system's, where no test plays another.
    package var accounts = AccountDirectory.system
    /// How the kernel is asked for the watches that there are, where no test plays one that does not tell.
    package var askForWatches: @Sendable (LinuxKernel) -> [Int32: UInt64]? = { $0.watches() }
    /// How it is heard of mounts, where no test plays a machine that is short of something.
    package var watchMounts: WatchMounts = DaemonOptions.watchMounts
    /// How the journal is forced to the disk, where no test plays one that fails.
    package var forceToDisk: ForceToDisk = DaemonOptions.forceToDisk

    /// To be made before other threads exist: it looks at the environment.
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
        dataDirectories = ContentTypeFiles.directories(isSystem: socket.isShared)
    }

    /// The files and the command line together. A daemon that starts is `toleratingOverlaps`, so that neither a file system
    /// that is mounted later nor one container too many ends it.
    package func configuration(toleratingOverlaps: Bool = false) throws(ConfigurationError) -> DaemonConfiguration {
        var configuration = DaemonConfiguration()
        configuration.toleratesOverlaps = toleratingOverlaps
        if let configurationFile {
            configuration = try ConfigurationLoader.load(
                file: configurationFile, required: configurationIsRequired, toleratingOverlaps: toleratingOverlaps)
        }
        for container in containers {
            try ConfigurationLoader.add(container, to: &configuration, from: "--container")
        }
        if let logLevel { configuration.logLevel = logLevel }
        return configuration
    }
}
