// The folders of a container, and of a folder that stands in for one.
// SPDX-License-Identifier: Apache-2.0

public import GatherKit

/// A directory with the layout of a container: a `Container` that the daemon watches, or a ``LocalContainer``.
///
/// `Documents` has the files of the user. All other files are its data scope. `.gather` has the trash and the key-value store. All
/// calls block the thread, and none asks the daemon.
public protocol FileContainer: Sendable {
    /// The identifier.
    var identifier: ContainerIdentifier { get }
    /// The path of the container's own directory.
    var data: String { get }
}

extension Container: FileContainer {}

extension FileContainer {
    /// The trash of the container.
    public var trash: Trash { Trash(container: data) }
}
