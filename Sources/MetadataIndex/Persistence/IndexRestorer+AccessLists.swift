// The access lists of an index on its way back become lists of this process.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// The journal names each list that a row ever had, as many as a user likes to set, while the process before this one
/// had let go of most. Only the lists that rows have at the end count: all of those were kept then, so they are kept
/// now. The log has the room that it is allowed, as in any sweep.
extension IndexRestorer {
    /// Makes those that rows have lists of this process. To be called when everything was applied, of all indexes
    /// before the first is finished: the lists of rows come before the lists of the log alone.
    ///
    /// - Throws: where there are more than there ever are.
    package func restoreLists() throws(RestoreError) {
        guard restoredLists == nil else { return }
        let lease = AccessLists.lease()
        var restored: [AccessListID: AccessListID] = [:]
        try rows.forEachAccess { (access) throws(RestoreError) in
            guard access.accessList.isKept, restored[access.accessList] == nil else { return }
            guard let list = AccessLists.restore(lists.bytes(of: access.accessList), owner: access.owner) else {
                throw .malformed("the number of access lists")
            }
            restored[access.accessList] = list
        }
        rows.replaceLists(restored)
        if !restored.isEmpty { rows.lease = lease }
        restoredLists = restored
    }

    /// Shares out among owners the lists that they have in common. To be called when that was done for all indexes.
    package func balanceLists() {
        struct Charge: Hashable {
            let list: AccessListID
            let owner: UInt32
        }
        var charges: Set<Charge> = []
        rows.forEachAccess { charges.insert(Charge(list: $0.accessList, owner: $0.owner)) }
        AccessLists.balance(charges.map { (list: $0.list, owner: $0.owner) })
    }

    /// Makes the lists that the log names lists of this process too; the log forgets changes that name more than is
    /// allowed.
    func restoreLists(of log: inout ChangeLog, at clock: UInt64, _ allowance: inout AccessListAllowance) {
        let lease = rows.lease ?? AccessLists.lease()
        var restored = restoredLists ?? [:]
        log.shorten(at: clock) { past in
            past.allSatisfy { access in
                if restored[access.accessList] != nil { return true }
                let bytes = lists.bytes(of: access.accessList)
                let list = AccessLists.restore(past: bytes, owner: access.owner, allowance: &allowance)
                restored[access.accessList] = list
                return list != nil
            }
        }
        log.replaceLists(restored)
        if !restored.isEmpty { rows.lease = lease }
    }

    /// Lets go of lists that neither rows nor the log have. The log forgets changes with too many lists, when it stands
    /// at this clock. So the memory for lists is bounded whatever the journal says.
    func tidyLists(at clock: UInt64) {
        var named: Set<AccessListID> = []
        rows.forEachAccess { named.insert($0.accessList) }
        var room = RestoredAccessLists.pastBytes
        log.shorten(at: clock) { past in
            let lists = Set(past.map(\.accessList)).subtracting(named)
            room -= lists.reduce(0) { $0 + self.lists.size(of: $1) }
            if room >= 0 { named.formUnion(lists) }
            return room >= 0
        }
        lists.letGo(except: named)
    }
}

extension RowStore {
    /// Calls `body` with the access rights of each row, each once, and with those of the directories of each package.
    /// Complexity: O(rows), 4 ns each, where access lists are named.
    fileprivate func forEachAccess<E: Error>(_ body: (FileAccess) throws(E) -> Void) throws(E) {
        if common.contains(where: \.accessList.isKept) {
            for (attributes, isUsed) in zip(common, usedAttributes()) where isUsed { try body(attributes.access) }
        }
        try packages.forEach { (_, package) throws(E) in
            if let accesses = package.accesses { try accesses.forEach(body) }
        }
    }

    /// Names access lists by other handles. Those of combinations that no row has are not known any more.
    fileprivate mutating func replaceLists(_ lists: [AccessListID: AccessListID]) {
        common.replaceLists(lists)
        let old = packages
        old.forEach { row, package in
            guard package.namesLists else { return }
            var replaced = package
            replaced.replaceLists(lists)
            packages[row] = replaced
        }
    }
}

extension [CommonAttributes] {
    /// Names access lists by other handles; one that has none is unknown.
    mutating func replaceLists(_ lists: [AccessListID: AccessListID]) {
        for place in indices where self[place].accessList.isKept {
            self[place].accessList = lists[self[place].accessList] ?? .unknown
        }
    }
}

extension PackageFacts {
    /// Whether access lists decide on the view of a package's entries.
    var namesLists: Bool {
        var names = false
        accesses?.forEach { names = names || $0.accessList.isKept }
        return names
    }

    /// Names access lists by other handles; one that has none is unknown.
    mutating func replaceLists(_ lists: [AccessListID: AccessListID]) {
        var replaced: Set<FileAccess> = []
        accesses?.forEach { access in
            var access = access
            if access.accessList.isKept { access.accessList = lists[access.accessList] ?? .unknown }
            replaced.insert(access)
        }
        accesses = AccessSet(replaced)
    }
}
