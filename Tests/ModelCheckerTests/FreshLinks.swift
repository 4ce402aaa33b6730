// Hard links that came and went between two looks, which the kernel cannot tell of.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// `link(2)` changes the time of change and the link count of a file under all of its names, but the kernel names the new
/// one only. Where that is gone again, or has left the container, before anybody could look at it, nothing tells which file
/// it was: no watcher can know, short of looking at everything. So the checker touches what remains of such a file, and
/// holds Gather to all the rest.
final class FreshLinks: Sendable {
    private struct State {
        /// Files that got a link since it was quiet.
        var fresh: Set<UInt64> = []
        /// Those of them that lost a name since.
        var lost: Set<UInt64> = []
        /// Files that had several names when it was quiet last.
        var former: Set<UInt64> = []
    }

    private let state = Mutex(State())

    func made(_ inode: UInt64) { state.withLock { _ = $0.fresh.insert(inode) } }

    /// Whether a file got a link since it was quiet.
    func contains(_ inode: UInt64) -> Bool { state.withLock { $0.fresh.contains(inode) } }

    /// Whether a file had several names when it was quiet last.
    func hadSeveral(_ inode: UInt64) -> Bool { state.withLock { $0.former.contains(inode) } }

    /// It is quiet, and this is there: none is fresh any more.
    func settle(_ walk: [Entry]) {
        let several = walk.filter { $0.links > 1 && !$0.isDirectory }.map(\.inode)
        state.withLock { ($0.fresh, $0.former) = ([], Set(several)) }
    }

    /// A name of this file is gone, or of files below a directory (nil).
    func lost(_ inode: UInt64?) {
        state.withLock { state in
            if let inode {
                if state.fresh.contains(inode) { state.lost.insert(inode) }
            } else {
                state.lost.formUnion(state.fresh)
            }
        }
    }

    /// A file, or a directory, has changed without an event.
    func untold(_ inode: UInt64) { state.withLock { _ = $0.lost.insert(inode) } }

    /// Touches what is left of them, or of all fresh ones.
    func touch(_ walk: () -> [Entry], losesAll: Bool) {
        let lost = state.withLock { state in
            if losesAll { state.lost = state.fresh }
            defer { state.lost = [] }
            return state.lost
        }
        guard !lost.isEmpty else { return }
        for entry in walk() where lost.contains(entry.inode) {
            _ = Files.setModified(entry.path, seconds: entry.modified.tv_sec, nanoseconds: entry.modified.tv_nsec)
        }
    }
}
