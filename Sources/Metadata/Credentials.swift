// Who asks: a user and the groups it is in.
// SPDX-License-Identifier: Apache-2.0

/// Who asks: a user, and all groups that it is in.
package struct Credentials: Sendable, Hashable {
    /// The effective user.
    package let user: UInt32
    /// The effective group and the supplementary ones: ascending, each once.
    package let groups: [UInt32]

    package init(user: UInt32, groups: some Sequence<UInt32>) {
        self.user = user
        self.groups = Set(groups).sorted()
    }

    /// Complexity: O(log groups).
    package func isMember(of group: UInt32) -> Bool {
        var low = 0
        var high = groups.count
        while low < high {
            let middle = (low + high) / 2
            if groups[middle] < group { low = middle + 1 } else { high = middle }
        }
        return low < groups.count && groups[low] == group
    }

    /// Whether the kernel would let the caller do all that is wanted with a file: `path_resolution(7)`, `acl(5)`, as the
    /// kernel's `acl_permission_check` has it, whose one difference from `acl(5)` is that a list counts for nothing where
    /// the group's bits (its mask) are all clear. Root may do anything.
    package func may(_ wanted: Permissions, _ file: FileAccess) -> Bool {
        if user == 0 { return true }
        func grants(_ bits: UInt16) -> Bool {
            Permissions(rawValue: UInt8(truncatingIfNeeded: bits & 7)).isSuperset(of: wanted)
        }
        if file.owner == user { return grants(file.mode >> 6) }
        if file.accessList != .none, file.mode & 0o070 != 0 || file.accessList == .unknown {
            return AccessLists.list(file.accessList).grants(wanted, to: self, owningGroup: file.group)
        }
        return grants(isMember(of: file.group) ? file.mode >> 3 : file.mode)
    }
}
