// Items whose access control lists are not known.
// SPDX-License-Identifier: Apache-2.0

import Metadata

extension MetadataIndex {
    /// Whether there may be items whose access control lists could not be read or kept. It begins with the first that comes,
    /// and ends when ``lookForAccessLists()`` finds none.
    package var lacksAccessLists: Bool { storage.lacksAccessLists }

    /// Looks whether there still are such items. Complexity: O(rows), where there were any.
    package func lookForAccessLists() { storage.lookForAccessLists() }
}

extension IndexStorage {
    mutating func lookForAccessLists() {
        guard lacksAccessLists else { return }
        lacksAccessLists = rows.lacksAccessLists
        // The next that comes is to be noticed.
        lastCommon = nil
    }
}

extension RowStore {
    /// Whether a row's access control list is not known. Complexity: O(rows).
    var lacksAccessLists: Bool {
        guard common.contains(where: { $0.accessList == .unknown }) else { return false }
        return zip(common, usedCombinations()).contains { $0.accessList == .unknown && $1 }
    }
}
