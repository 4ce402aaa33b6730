// How many items and directories an index has.
// SPDX-License-Identifier: Apache-2.0

/// Counts the live rows of an index, without the root, and the directories among them.
struct ItemCounts {
    private(set) var items = 0
    private(set) var directories = 0

    init() {}

    /// Counts the rows of these blocks, which have the root.
    init(_ blocks: [BlockStorage]) {
        for storage in blocks {
            items += storage.block.header.pointee.live
            directories += storage.block.header.pointee.directories
        }
        items -= 1
        directories -= 1
    }

    @inline(__always)
    mutating func add(isDirectory: Bool) {
        items += 1
        if isDirectory { directories += 1 }
    }

    @inline(__always)
    mutating func remove(isDirectory: Bool) {
        items -= 1
        if isDirectory { directories -= 1 }
    }

    mutating func remove(items gone: Int, directories goneDirectories: Int) {
        items -= gone
        directories -= goneDirectories
    }

    /// Counts an item that became a directory, or ceased to be one.
    mutating func change(toDirectory isDirectory: Bool) { directories += isDirectory ? 1 : -1 }
}
