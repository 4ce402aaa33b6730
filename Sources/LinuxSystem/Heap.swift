// The heap of the process.
// SPDX-License-Identifier: Apache-2.0

import CLinux

/// The heap of the process.
package enum Heap {
    /// Gives the pages that were freed within the heap back to the system (malloc_trim(3)): the batches of a crawl or a
    /// comparison leave 2 to 4 bytes an entry behind, many changes 12. On any thread; while an arena is looked through, who
    /// allocates from it waits, for milliseconds with 150 MB.
    package static func giveBackUnused() { _ = clinux_trim_heap() }
}
