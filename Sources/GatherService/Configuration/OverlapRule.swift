// The rule for containers that overlap.
// SPDX-License-Identifier: Apache-2.0

/// The rule for a container that lies within another one, or has the same directory.
package enum OverlapRule: Sendable, Equatable {
    /// It is an error.
    case refused
    /// Within another one, it waits for a file system to be mounted there. With the same directory, it is left out. So neither a
    /// file system that is mounted later nor one container too many ends a daemon that starts.
    case tolerated
    /// It is an error, but these containers may lie within others, where they wait.
    case refusedExcept([ContainerConfiguration])

    /// Whether a container may lie within another one.
    func permitsWaiting(_ container: ContainerConfiguration) -> Bool {
        switch self {
        case .refused: false
        case .tolerated: true
        case .refusedExcept(let known):
            known.contains { $0.identifier == container.identifier && $0.path == container.path }
        }
    }
}
