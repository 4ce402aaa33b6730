// Changes that other account names make to a live query's items.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import MetadataIndex

extension LiveQuery {
    /// Records the items that still match and now have another name of owner or group.
    func recordRenamed(
        in before: RowSelection, and after: RowSelection, since former: QueryPlan, in snapshot: IndexSnapshot
    ) -> Bool {
        let tells = (user: attributes.contains(.owner), group: attributes.contains(.group))
        let (old, new) = (former.environment.accounts, plan.environment.accounts)
        guard tells.user || tells.group, old !== new else { return false }
        // There are few accounts and many items.
        var users: [UInt32: Bool] = [:]
        var groups: [UInt32: Bool] = [:]
        func isRenamed(
            _ number: UInt32, _ known: inout [UInt32: Bool], _ name: (any AccountNaming) -> [UInt8]
        ) -> Bool {
            if let isRenamed = known[number] { return isRenamed }
            let isRenamed = name(old) != name(new)
            known[number] = isRenamed
            return isRenamed
        }
        var hasAny = false
        after.forEach { row in
            guard before.contains(row), let item = snapshot.identifier(of: row) else { return }
            let status = snapshot.status(of: row)
            guard
                tells.user && isRenamed(status.owner, &users, { $0.user(status.owner) })
                    || tells.group && isRenamed(status.group, &groups, { $0.group(status.group) })
            else { return }
            record(item, matched: true, matches: true, in: snapshot)
            hasAny = true
        }
        return hasAny
    }
}
