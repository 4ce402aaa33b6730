// Memory of this process that is mapped twice in a row.
// SPDX-License-Identifier: Apache-2.0

import CLinux

/// Memory that is mapped twice, the second right behind the first: what goes over its end goes on at its beginning. It begins
/// with zeros, and ends with the object.
package final class DoubledMemory {
    package let base: UnsafeMutableRawPointer
    private let size: Int

    /// - Parameter size: Bytes of one of the two, a multiple of the page size.
    package init(size: Int) throws(SystemError) {
        guard let base = clinux_map_doubled(size) else { throw .noMemory }
        (self.base, self.size) = (base, size)
    }

    deinit { clinux_unmap(base, 2 * size) }
}
