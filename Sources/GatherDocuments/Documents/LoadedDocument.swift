// A document as it was loaded or saved.
// SPDX-License-Identifier: Apache-2.0

internal import SaveFiles

/// A document as it was loaded or saved: a file or a package.
enum LoadedDocument: Sendable {
    case file(LoadedFile)
    case package(PackageBase)

    /// The identity of the file, or of the root folder of the package.
    var stamp: FileStamp {
        switch self {
        case .file(let file): file.stamp
        case .package(let base): base.root
        }
    }

    /// Contents that were read from disk.
    enum Read: Sendable {
        case file(LoadedFile)
        case package(Package)
    }
}
