// The folders of a container, and of a folder that stands in for one.
// SPDX-License-Identifier: Apache-2.0

public import GatherKit
internal import LinuxSystem

/// A directory with the layout of a container: a `Container` that the daemon watches, or a ``LocalContainer``.
///
/// `Documents` has the files of the user. All other files are its data scope. `.gather` has the trash and the key-value store. All
/// calls block the thread, and none asks the daemon. A `Container` of another machine is ``DocumentError/Code/notFound`` for all that
/// use its files.
public protocol FileContainer: Sendable {
    /// The identifier.
    var identifier: ContainerIdentifier { get }
    /// The path of the container's own directory.
    var data: FilePath { get }
}

extension Container: FileContainer {}

extension FileContainer {
    /// The trash of the container.
    public var trash: Trash { Trash(container: data, refusal: refusal) }

    /// The error for the files of a container of another machine; nil for one of this.
    private var refusal: DocumentError? {
        do throws(GatherError) {
            try (self as? Container)?.requireHere()
            return nil
        } catch {
            return DocumentError(code: .notFound, message: error.message, path: data.string)
        }
    }

    /// Refuses a container of another machine. Below the directory of one of this, no symbolic link is followed from now on.
    func requireFilesHere() throws(DocumentError) {
        if let refusal { throw refusal }
        ContainerRoots.add(data.bytes)
    }
}
