// The heap of the process.
// SPDX-License-Identifier: Apache-2.0

import CLinux

/// The heap of the process.
package enum Heap {
    /// Returns freed pages of the heap to the system (malloc_trim(3)). The batches of a crawl or a comparison leave 2 to 4 bytes
    /// an entry behind, many changes 12. Callable on any thread. A thread that allocates from an arena waits while the arena is
    /// examined, milliseconds with 150 MB.
    package static func giveBackUnused() { _ = clinux_trim_heap() }
}
