// An entry of a package.
// SPDX-License-Identifier: Apache-2.0

/// An entry of a package: a file, a folder, or a symbolic link.
public enum PackageEntry: Sendable {
    /// A regular file.
    case file(PackageFile)
    /// A folder with its entries.
    case folder(PackageFolder)
    /// A symbolic link with its target, as bytes. It is never followed.
    case symbolicLink(target: [UInt8])

    /// Makes a file with these contents.
    public static func file(_ bytes: [UInt8]) -> PackageEntry { .file(PackageFile(bytes)) }

    /// The file; nil for another kind of entry.
    public var file: PackageFile? { if case .file(let file) = self { file } else { nil } }
    /// The folder; nil for another kind of entry.
    public var folder: PackageFolder? { if case .folder(let folder) = self { folder } else { nil } }
}
