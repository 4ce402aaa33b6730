// The daemon's configuration: every key of gatherd.toml with its default, and the containers.
// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem
package import Logging

/// The configuration in `gatherd.toml`, `containers.d` and the command line together.
package struct DaemonConfiguration: Sendable, Equatable {
    /// The group that may connect to the system's service.
    package var socketGroup: String = DaemonConfiguration.systemGroup
    /// Whether a file has the key `socket-group`. If so, the group may connect to any socket that the daemon binds.
    package var namesSocketGroup = false
    private static let systemGroup = "gatherd"
    /// The user that tells the states of shared containers.
    package var syncUser = "gather-syncd"
    /// The largest share of the limit of inotify watches that the daemon takes.
    package var watchShare: Double = 0.8
    /// The time between two polls of a directory without a watch, in nanoseconds.
    package var pollInterval: UInt64 = 30_000_000_000
    /// The time between two snapshots, in nanoseconds.
    package var snapshotInterval: UInt64 = 600_000_000_000
    /// The time in which the self-audit reads each container once, in nanoseconds; 0 for no audit.
    package var auditInterval: UInt64 = 86_400_000_000_000
    /// The largest share of one processor that the self-audit takes.
    package var auditShare: Double = 0.01
    package var logLevel: Logger.Level = .info
    /// The containers of files and options. Those added at run time are in the state directory.
    package var containers: [ContainerConfiguration] { places.containers }
    var places = ContainerPlaces()
    /// The rule for containers that overlap.
    package var overlaps = OverlapRule.refused
    /// The containers that are left out, with the reason.
    package var leftOut: [ConfigurationError] = []
    /// The lines of the containers' paths in their files, by identifier.
    var lines: [String: Int] = [:]

    package init() {}

    /// Returns warnings for an administrator, although the daemon starts: containers without a directory, and those
    /// whose identifiers people may confuse. Waits two seconds at most for a mount that does not answer.
    package func remarks() -> [ConfigurationError] {
        var known: [String: ContainerConfiguration] = [:]
        return containers.flatMap { container in
            var faults: [String] = []
            if let other = known[container.identifier.lowercased()] {
                faults.append(other.namesake)
            } else {
                known[container.identifier.lowercased()] = container
            }
            if let failure = MountPaths.failure(at: container.path) {
                faults.append("the file system at \(failure.mount.text) does not answer")
            } else if let fault = ContainerConfiguration.directoryFault(at: container.path) {
                faults.append(fault)
            }
            return faults.map { ConfigurationError(container, in: self, $0) }
        }
    }
}
