// The queue of the played kernel, and the tree that it must lead to.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import LinuxSystem
import Metadata
import Synchronization

extension PlayedKernel {
    /// Loses everything that is queued, as the kernel does when the queue is full.
    func overflow() {
        state.withLock { $0.queue = [Event(watch: -1, mask: .overflow)] }
    }

    /// Loses the last queued events and puts the overflow in their place.
    func overflow(after kept: Int) {
        state.withLock { $0.queue = Array($0.queue.prefix(kept)) + [Event(watch: -1, mask: .overflow)] }
    }

    /// The program is put off before the last queued event, the `IN_MOVED_TO` of a rename.
    func interrupt() { state.withLock { state in state.unfinished += [state.queue.removeLast()] } }

    func finishRenames(in directory: CInt) {
        state.withLock { state in
            state.awaited += 1
            state.queue += state.unfinished
            if let readable = state.readable { state.readable = readable + state.unfinished.count }
            state.unfinished = []
        }
    }

    /// Changes the order of two queued events.
    func swapEvents(_ a: Int, _ b: Int) { state.withLock { $0.queue.swapAt(a, b) } }

    func advance(_ nanoseconds: UInt64) { state.withLock { $0.now += nanoseconds } }

    /// Everything below a directory, by path; as it is for the watcher, to which some may be closed, or as it is.
    func contents(below path: String, asSeen: Bool = true) -> [[UInt8]: FileStatus] {
        state.withLock { state in
            guard let root = PlayedKernel.locate(path, state).inode else { return [:] }
            var found: [[UInt8]: FileStatus] = [:]
            var stack: [(UInt64, String)] = [(root, "")]
            while let (inode, prefix) = stack.popLast() {
                guard let directory = state.inodes[inode],
                    !asSeen || !(directory.isUnreadable || directory.isUnsearchable)
                else { continue }
                for (name, child) in directory.children {
                    guard let entry = state.inodes[child] else { continue }
                    found[Array((prefix + name).utf8)] = entry.status
                    if !entry.isMountRoot { stack.append((child, prefix + name + "/")) }
                }
            }
            return found
        }
    }

    /// The same without untold changes: a process that may not read a directory cannot watch it, and is not told when its
    /// times and its links change.
    func received(_ contents: [[UInt8]: FileStatus]) -> [[UInt8]: FileStatus] {
        state.withLock { state in
            var contents = contents
            for (name, status) in contents where status.kind == .directory {
                guard let inode = state.inodes[status.inode], inode.isUnreadable || inode.isUnsearchable else {
                    continue
                }
                contents[name]?.modified = Timestamp(nanoseconds: 0)
                contents[name]?.changed = Timestamp(nanoseconds: 0)
                contents[name]?.links = 0
            }
            return contents
        }
    }
}
