// The daemon's configuration: every key of gatherd.toml with its default, and the containers.
// SPDX-License-Identifier: Apache-2.0

package import Logging

/// What `gatherd.toml`, `containers.d` and the flags say together.
package struct DaemonConfiguration: Sendable, Equatable {
    /// Who may connect to the system service.
    package var socketGroup: String = "gatherd"
    /// The share of `fs.inotify.max_user_watches` that Gather takes at most.
    package var watchShare: Double = 0.8
    /// How often what cannot be watched is looked at, in nanoseconds.
    package var pollInterval: UInt64 = 30_000_000_000
    /// How often the state is written, in nanoseconds.
    package var snapshotInterval: UInt64 = 600_000_000_000
    /// In what time the self-audit sees each container as a whole, in nanoseconds; 0 for no audit.
    package var auditInterval: UInt64 = 86_400_000_000_000
    /// The share of one processor that the self-audit takes at most.
    package var auditShare: Double = 0.01
    package var logLevel: Logger.Level = .info
    /// The containers that files and flags define; those added at run time are kept with the state.
    package var containers: [ContainerConfiguration] { places.containers }
    var places = ContainerPlaces()
    /// Whether a container may lie within another, where it waits for a file system to be mounted.
    package var toleratesOverlaps = false
    /// Containers that are left out all the same.
    package var leftOut: [ConfigurationError] = []

    package init() {}
}
