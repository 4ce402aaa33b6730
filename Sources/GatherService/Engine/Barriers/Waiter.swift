// A question that waits until the answer would be exact.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import MetadataIndex
import NIOCore

/// A question that waits for changes made before it was asked, and for containers that are being read.
final class Waiter {
    let barrier: Barrier
    /// The containers that the question is about.
    let numbers: Set<UInt32>
    /// Whether the containers must have settled, and not only have seen the changes made before.
    let needsSettled: Bool
    /// Those of them whose extended attributes must have been read.
    let xattrs: Set<UInt32>
    /// Called once, on the loop: empty when the answer would be exact now, else the containers that were not in time.
    let completion: ([ContainerRecord]) -> Void
    var timeout: Scheduled<Void>?
    var isDone = false

    init(
        barrier: Barrier, numbers: Set<UInt32>, needsSettled: Bool, xattrs: Set<UInt32>,
        completion: @escaping ([ContainerRecord]) -> Void
    ) {
        self.barrier = barrier
        self.numbers = numbers
        self.needsSettled = needsSettled
        self.xattrs = xattrs
        self.completion = completion
    }
}
