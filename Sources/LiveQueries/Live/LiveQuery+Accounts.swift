// What a live query tells where accounts have other names.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import MetadataIndex

extension LiveQuery {
    /// Records what goes on matching, and is told with another name of its owner or group than by the former plan.
    func recordRenamed(
        in before: RowSelection, and after: RowSelection, since former: QueryPlan, in snapshot: IndexSnapshot
    ) -> Bool {
        let tells = (user: attributes.contains(.owner), group: attributes.contains(.group))
        let (old, new) = (former.environment.accounts, plan.environment.accounts)
        guard tells.user || tells.group, old !== new else { return false }
        // There are few accounts, and many items.
        var users: [UInt32: Bool] = [:]
        var groups: [UInt32: Bool] = [:]
        func isRenamed(user number: UInt32) -> Bool {
            if let known = users[number] { return known }
            let isRenamed = old.user(number) != new.user(number)
            users[number] = isRenamed
            return isRenamed
        }
        func isRenamed(group number: UInt32) -> Bool {
            if let known = groups[number] { return known }
            let isRenamed = old.group(number) != new.group(number)
            groups[number] = isRenamed
            return isRenamed
        }
        var hasAny = false
        after.forEach { row in
            guard before.contains(row), let item = snapshot.identifier(of: row) else { return }
            let status = snapshot.status(of: row)
            guard tells.user && isRenamed(user: status.owner) || tells.group && isRenamed(group: status.group) else {
                return
            }
            record(item, matched: true, matches: true, in: snapshot)
            hasAny = true
        }
        return hasAny
    }
}
