// The identity of a caller: a user and its groups.
// SPDX-License-Identifier: Apache-2.0

/// The identity of a caller: a user and all groups that it is in.
package struct Credentials: Sendable, Hashable {
    /// The number of a user or group that this user namespace does not map. It matches no other.
    package static let unmapped = UInt32.max

    /// The effective user.
    package let user: UInt32
    /// The effective and the supplementary groups, ascending, each once.
    package let groups: [UInt32]

    package init(user: UInt32, groups: some Sequence<UInt32>) {
        self.user = user
        self.groups = Set(groups).sorted()
    }

    /// Whether the caller is in a group. Complexity: O(log groups).
    package func isMember(of group: UInt32) -> Bool {
        var low = 0
        var high = groups.count
        while low < high {
            let middle = (low + high) / 2
            if groups[middle] < group { low = middle + 1 } else { high = middle }
        }
        return low < groups.count && groups[low] == group
    }

    /// Whether the kernel would grant the caller all wanted permissions on a file: `path_resolution(7)` and `acl(5)`,
    /// as implemented in `acl_permission_check`. Root may do anything.
    ///
    /// The kernel differs from `acl(5)` in one point: it ignores a list if the bits of the group (the mask) are all
    /// clear.
    package func may(_ wanted: Permissions, _ file: FileAccess) -> Bool {
        if user == 0 { return true }
        func grants(_ bits: UInt16) -> Bool {
            Permissions(rawValue: UInt8(truncatingIfNeeded: bits & 7)).isSuperset(of: wanted)
        }
        if file.owner == user, user != Credentials.unmapped { return grants(file.mode >> 6) }
        if file.accessList != .none, file.mode & 0o070 != 0 || file.accessList == .unknown {
            return AccessLists.list(file.accessList).grants(wanted, to: self, owningGroup: file.group)
        }
        let isInGroup = file.group != Credentials.unmapped && isMember(of: file.group)
        return grants(isInGroup ? file.mode >> 3 : file.mode)
    }
}
