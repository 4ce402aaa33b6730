// A file in a package.
// SPDX-License-Identifier: Apache-2.0

/// A regular file in a package: contents in memory, or a file on disk that is read when ``contents()`` is called.
///
/// A file that is not replaced keeps its identity through a save: the new package gets a hard link to it.
public struct PackageFile: Sendable {
    let node: PackageNode

    init(_ node: PackageNode) { self.node = node }

    /// Makes a file with these contents.
    public init(_ bytes: [UInt8]) { node = PackageNode(bytes) }

    /// Returns the contents. Blocks the thread if they are on disk, and reads them at each call.
    ///
    /// - Throws: ``DocumentError/Code/invalidVersion`` if another program has changed or removed the file since the package was
    ///   loaded.
    public func contents() throws(DocumentError) -> [UInt8] { try node.contents() }

    /// The size in bytes.
    public var size: Int { node.size }
    /// The time of the last change when the package was loaded; nil for new contents.
    public var modified: Timestamp? { node.modified }
    /// Whether the contents are in memory.
    public var isLoaded: Bool { node.isInMemory }
}
