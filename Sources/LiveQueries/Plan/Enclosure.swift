// The kinds of directories whose contents a query does not search by itself.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import MetadataIndex

/// A kind of directory whose contents a query searches only if it names a place in there.
enum Enclosure: Sendable, Hashable {
    /// A package. Packages do not nest.
    case package
    /// A directory of removed or replaced items (``ArchiveName``).
    case archive

    /// Whether a directory is one.
    func isDirectory(_ row: Row, in reader: some RowReader) -> Bool {
        switch self {
        case .package: reader.kind(of: row) == .package
        case .archive: reader.isArchive(row)
        }
    }

    /// The lowest such directory that an item lies below. Complexity: O(depth).
    func directory(around row: Row, in reader: some RowReader) -> Row? {
        switch self {
        case .package: reader.package(around: row)
        case .archive: reader.archive(around: row)
        }
    }
}
