// The names of directories whose files a query finds only if it names them.
// SPDX-License-Identifier: Apache-2.0

/// The names of archives: directories with files that were removed or replaced. A query finds them only if it names the place,
/// and none of them is a version in conflict. An archive may lie at any depth, since a container can lie inside another.
package enum ArchiveName {
    /// The directory of a container with Gather's own files: the trash and the key-value store.
    package static let own = ".gather"
    /// Syncthing's archive of replaced and removed files.
    package static let ofSyncthing = SyncthingName.archive

    private static let all = [Array(own.utf8), Array(ofSyncthing.utf8)]

    /// Whether a name is that of an archive. Allocates nothing.
    package static func isName(_ name: some Collection<UInt8>) -> Bool {
        for archive in all where archive.count == name.count && name.elementsEqual(archive) { return true }
        return false
    }

    /// Whether a directory, by its path, is an archive or lies below one.
    package static func holds(directory path: some Collection<UInt8>) -> Bool {
        path.split(separator: UInt8(ascii: "/")).contains { isName($0) }
    }

    /// Whether an item, by its path, lies below an archive.
    package static func holds(_ path: some Collection<UInt8>) -> Bool {
        path.split(separator: UInt8(ascii: "/")).dropLast().contains { isName($0) }
    }
}
