// A directory at a container's path that is not the container's own.
// SPDX-License-Identifier: Apache-2.0

/// Why a directory at a container's path is not taken for the container, which has a mark.
package enum ContainerStranger: Hashable, Sendable {
    /// It has another container's mark.
    case another
    /// It has no mark, and is another directory.
    case unmarked
    /// Its mark cannot be read, and it is another directory.
    case unreadable
    /// It has the container's mark, and is another directory.
    case copy

    /// The reason in the words of the container's state.
    package var reason: String {
        switch self {
        case .another: "another container is at its path"
        case .unmarked: "another directory is at its path, without the container's .gather/container"
        case .unreadable: "another directory is at its path, whose .gather/container cannot be read"
        case .copy: "a copy of it is at its path"
        }
    }
}
