// The directories that a watcher without threads reads on its loop.
// SPDX-License-Identifier: Apache-2.0

/// How a watcher without threads reads directories: in the iterations of its loop. A test can hold that back.
package struct LoopJobs {
    /// Whether directories are read.
    package var areRead = true
    /// How many in one iteration.
    package var perIteration = 64
}
