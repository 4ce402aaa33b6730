// A folder of this machine that stands in for a container.
// SPDX-License-Identifier: Apache-2.0

public import GatherKit
internal import LinuxSystem

/// A folder of this machine that stands in for a container while there is none.
///
/// It has the layout of the container, so an application uses both in the same way. It lies in
/// `$XDG_DATA_HOME/gather/containers/IDENTIFIER`, or below `~/.local/share`, and is made so that only its user may read it. When the
/// container is there, ``move(into:)`` moves the files.
public struct LocalContainer: FileContainer, Hashable, Identifiable {
    /// The identifier of the container that it stands in for.
    public let identifier: ContainerIdentifier
    /// The path of its own directory.
    public let data: FilePath

    /// The identifier.
    public var id: ContainerIdentifier { identifier }

    /// Makes the folder if it is missing. Blocks the thread.
    ///
    /// - Parameters:
    ///   - identifier: The identifier of the container.
    ///   - directory: The absolute path of the directory that has a folder for each container; nil for the standard one.
    /// - Throws: ``DocumentError/Code/invalidName`` for an identifier that is no file name and for a relative path, and
    ///   ``DocumentError/Code/notFound`` if the environment names no home directory.
    public init(identifier: ContainerIdentifier, in directory: FilePath? = nil) throws(DocumentError) {
        guard ContainerScope.isName(identifier.rawValue) else {
            throw DocumentError(
                code: .invalidName, message: "a container cannot be named '\(identifier)'", path: identifier.rawValue)
        }
        guard let parent = directory ?? LocalContainer.standardDirectory else {
            throw DocumentError(
                code: .notFound,
                message: "there is no folder for the files of '\(identifier)': neither XDG_DATA_HOME nor HOME is set",
                path: identifier.rawValue)
        }
        guard parent.isAbsolute else {
            throw DocumentError(
                code: .invalidName, message: "the files of '\(identifier)' need an absolute path, and not '\(parent)'",
                path: parent.string)
        }
        self.identifier = identifier
        let path = parent.appending(identifier.rawValue)
        data = path
        try DocumentError.of("cannot make the folder", path.string) { () throws(SystemError) in
            try FileBytes.makeDirectories(path.bytes, mode: 0o700)
        }
        ContainerRoots.add(path.bytes)
    }

    /// The directory that has a folder for each container; nil where the environment names no home directory.
    public static var standardDirectory: FilePath? {
        UserDirectory.path("XDG_DATA_HOME", orInHome: ".local/share").map { FilePath($0 + "/gather/containers") }
    }
}
