// The numbers of conflict versions in folders that were listed before.
// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem
internal import SaveFiles
internal import Synchronization

/// The numbers of conflict versions in folders that were listed before. An application that opens all documents of a folder
/// lists it once, not once for each of them: of 10,000 entries a listing takes a millisecond.
final class ConflictCounts: Sendable {
    static let shared = ConflictCounts()

    private struct Listing {
        /// The folder when it was listed.
        var stamp: FileStamp
        var counts: [[UInt8]: Int]
    }

    private struct Key: Hashable {
        let device: UInt64
        let inode: UInt64
    }

    /// The number of folders whose listings are kept.
    private static let folders = 32
    private let listings = Mutex<[Key: Listing]>([:])

    /// Returns the number of conflict versions of a file. Complexity: O(1) for a folder that has not changed since it was
    /// listed, else O(entries).
    func count(of name: [UInt8], in folder: borrowing Folder) throws(DocumentError) -> Int {
        guard let status = try? EntryStatus(of: "", in: folder.number) else {
            return try FileVersion.conflictNames(of: name, in: folder).count
        }
        let stamp = FileStamp(status)
        let key = Key(device: stamp.device, inode: stamp.inode)
        if let known = listings.withLock({ $0[key] }), known.stamp == stamp { return known.counts[name] ?? 0 }
        var counts: [[UInt8]: Int] = [:]
        for version in try FileVersion.conflictNames(in: folder) { counts[version.original, default: 0] += 1 }
        if stamp.isSettled {
            listings.withLock { listings in
                if listings.count >= ConflictCounts.folders { listings = [:] }
                listings[key] = Listing(stamp: stamp, counts: counts)
            }
        }
        return counts[name] ?? 0
    }
}
