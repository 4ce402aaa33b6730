// The access control lists of files, each stored once and charged to an owner.
// SPDX-License-Identifier: Apache-2.0

/// The table of access control lists. Each list is stored once, as long as a handle of it may exist.
///
/// A user that owns files can make any number of lists. So each list is charged to the owner of the file that brought
/// it first, and each owner has a share of the table. Beyond it, only that owner's lists are refused. Lists in the
/// change log have an allowance, too: beyond it, an index drops its change log, and a subscriber with an older clock
/// starts over.
///
/// Handles are numbers without reference counts, since rows hold millions of them. Eras tell which lists are in use. A
/// holder of handles lives in an era (``AccessListLease``). To move to a later era, it names the lists that it holds
/// (``touch(_:)``). A list that was last named before the earliest living era has no holder.
package struct AccessListTable {
    /// The limit of lists. Beyond either limit, a new list is ``AccessListID/unknown``.
    package let maximumCount: Int
    /// The limit of bytes of all lists.
    package let maximumBytes: Int
    /// The part of both limits that one owner other than root may use.
    package static let ownerShare = 16
    /// Below this number of lists or bytes of one owner, no sweep looks for unused ones.
    static let leastCount = 1_024
    static let leastBytes = 256 << 10
    /// The least part of a share that must be new before the next sweep. An owner that uses nearly all of its share and
    /// sets one list after another would cause a sweep for each; a few of its lists are refused instead.
    static let leastPart = 16
    /// The bits of a handle for the place in the table. The other bits count how often the place was used. No handle is
    /// given twice, so a handle of a freed list never means another list.
    static let placeBits: UInt64 = 17

    /// A list at its place.
    private struct StoredList {
        /// The number of the handle; 0 in a free place.
        var number: UInt64 = 0
        var bytes: [UInt8] = []
        var list = AccessList.refusing
        var owner: UInt32 = 0
        /// The era in which the list was named last.
        var named: UInt64 = 0
    }

    /// The lists charged to one owner.
    private struct Charge {
        var count = 0
        var bytes = 0
        /// The charge at the beginning of the present era, lowered as lists are freed.
        var markedCount = 0
        var markedBytes = 0
        /// Whether a list was refused because of the share.
        var isPastShare = false

        mutating func add(_ size: Int) {
            count += 1
            bytes += size
        }

        mutating func remove(_ size: Int) {
            count -= 1
            bytes -= size
        }

        /// Begins an era.
        mutating func mark() { (markedCount, markedBytes) = (count, bytes) }

        /// Lowers the mark after unused lists were freed.
        mutating func lowerMark() { (markedCount, markedBytes) = (min(markedCount, count), min(markedBytes, bytes)) }

        /// Returns whether enough lists are new to look for unused ones, well before the share is used up.
        func isDue(share: (count: Int, bytes: Int), least: (count: Int, bytes: Int)) -> Bool {
            func isDue(_ now: Int, _ marked: Int, _ share: Int, _ least: Int) -> Bool {
                now - marked >= share / AccessListTable.leastPart
                    && now >= min((marked + share) / 2, max(2 * marked, least))
            }
            return isDue(count, markedCount, share.count, least.count)
                || isDue(bytes, markedBytes, share.bytes, least.bytes)
        }
    }

    /// The lists by place. Place 0 is for no list, place 1 for the unknown list, with bytes that no list has.
    private var stored: [StoredList] = [StoredList(), StoredList(number: 1, bytes: [0xFF])]
    private var free: [(place: Int, next: UInt64)] = []
    private var numbers: [[UInt8]: UInt64] = [[]: 0, [0xFF]: 1]
    private var charges: [UInt32: Charge] = [:]
    /// The lists charged to all owners.
    private var total = Charge()

    /// The eras with a holder, ascending, and the present era.
    private var eras: [UInt64] = []
    private var era: UInt64 = 0
    /// Lists last named before this era are freed.
    private var settled: UInt64 = 0

    /// Whether enough lists are new to begin a new era. Never set after a refusal: with the table in full use, every
    /// check would begin one.
    package private(set) var isDue = false
    /// Whether an era before the present one has a holder, which keeps its lists.
    package var hasFormerEras: Bool { eras.count > 1 }
    /// How often lists were freed after a refusal.
    package private(set) var roomMade: UInt64 = 0

    package init(maximumCount: Int, maximumBytes: Int) {
        precondition(maximumCount + 2 < 1 << AccessListTable.placeBits)
        self.maximumCount = maximumCount
        self.maximumBytes = maximumBytes
    }

    /// The number of lists.
    package var count: Int { total.count }
    /// The bytes of all lists.
    package var byteCount: Int { total.bytes }

    /// Whether no list of this owner was refused since lists were freed last.
    package func hasRoom(for owner: UInt32) -> Bool { !total.isPastShare && charges[owner]?.isPastShare != true }

    /// Returns the handle of a list, given the bytes of the extended attribute of a file of this owner; `none` for no
    /// bytes. Malformed bytes get a handle, too, of a list that grants nothing. Complexity: O(bytes).
    package mutating func intern(_ bytes: [UInt8], owner: UInt32) -> AccessListID {
        if let known = find(bytes) { return known }
        guard hasRoomInAll(bytes) else {
            total.isPastShare = true
            return .unknown
        }
        guard hasRoom(bytes, owner) else {
            charges[owner]?.isPastShare = true
            return .unknown
        }
        return add(bytes, owner)
    }

    private mutating func find(_ bytes: [UInt8]) -> AccessListID? {
        guard let known = numbers[bytes] else { return nil }
        stored[AccessListTable.place(known)].named = era
        return AccessListID(number: known)
    }

    private func hasRoomInAll(_ bytes: [UInt8]) -> Bool {
        total.count < maximumCount && total.bytes + bytes.count <= maximumBytes
    }

    private func hasRoom(_ bytes: [UInt8], _ owner: UInt32) -> Bool {
        let (share, charge) = (share(of: owner), charges[owner] ?? Charge())
        return charge.count < share.count && charge.bytes + bytes.count <= share.bytes
    }

    private mutating func add(_ bytes: [UInt8], _ owner: UInt32) -> AccessListID {
        let share = share(of: owner)
        var charge = charges[owner] ?? Charge()
        let place = free.popLast() ?? (stored.count, UInt64(stored.count))
        if place.place == stored.count { stored.append(StoredList()) }
        stored[place.place] = StoredList(
            number: place.next, bytes: bytes, list: AccessList(bytes) ?? .refusing, owner: owner, named: era)
        numbers[bytes] = place.next
        total.add(bytes.count)
        charge.add(bytes.count)
        charges[owner] = charge
        let least = (AccessListTable.leastCount, AccessListTable.leastBytes)
        if charge.isDue(share: share, least: least) || total.isDue(share: self.share(of: 0), least: (.max, .max)) {
            isDue = true
        }
        return AccessListID(number: place.next)
    }

    /// Returns the handle of a list from saved state. Shares do not count, since the list was kept before, perhaps in
    /// another owner's share. Nil if the table is full.
    package mutating func restore(_ bytes: [UInt8], owner: UInt32) -> AccessListID? {
        if let known = find(bytes) { return known }
        return hasRoomInAll(bytes) ? add(bytes, owner) : nil
    }

    /// Charges a restored list of two owners to the one with more of its share left. The first owner is unknown, and
    /// one owner must not be charged for all common lists.
    package mutating func balance(_ list: AccessListID, with other: UInt32) {
        guard list.isKept, let place = find(list), stored[place].owner != other else { return }
        let (owner, size) = (stored[place].owner, stored[place].bytes.count)
        guard load(of: other, with: size) < load(of: owner) else { return }
        charges[owner]?.remove(size)
        charges[other, default: Charge()].add(size)
        stored[place].owner = other
    }

    /// Returns the used part of an owner's share, with one more list of `size` bytes if given.
    private func load(of owner: UInt32, with size: Int? = nil) -> Double {
        let (share, charge) = (share(of: owner), charges[owner] ?? Charge())
        let (count, bytes) = (charge.count + (size == nil ? 0 : 1), charge.bytes + (size ?? 0))
        return max(Double(count) / Double(share.count), Double(bytes) / Double(share.bytes))
    }

    /// Restores a list that only the change log names. Nil if the allowance is used up, which does not count as a
    /// refusal.
    package mutating func restore(
        past bytes: [UInt8], owner: UInt32, allowance: inout AccessListAllowance
    ) -> AccessListID? {
        if let known = find(bytes) { return known }
        guard hasRoom(for: owner), hasRoomInAll(bytes), hasRoom(bytes, owner),
            allowance.take(bytes.count, of: owner, share: share(of: owner))
        else { return nil }
        return add(bytes, owner)
    }

    /// Returns the share of one owner. Root's is the whole table.
    package func share(of owner: UInt32) -> (count: Int, bytes: Int) {
        let parts = owner == 0 ? 1 : AccessListTable.ownerShare
        return (maximumCount / parts, maximumBytes / parts)
    }

    private static func place(_ number: UInt64) -> Int { Int(number & (1 << placeBits - 1)) }

    private func find(_ list: AccessListID) -> Int? {
        let place = AccessListTable.place(list.number)
        return place < stored.count && stored[place].number == list.number ? place : nil
    }

    /// Returns the bytes of a list; empty for none. For an invalid handle, those of the unknown list.
    package func bytes(of list: AccessListID) -> [UInt8] { stored[find(list) ?? 1].bytes }

    /// Returns the list; one that grants nothing for an invalid handle.
    package func list(_ list: AccessListID) -> AccessList { stored[find(list) ?? 1].list }

    // MARK: Freeing

    /// Begins an era, which has a holder.
    package mutating func beginEra() -> UInt64 {
        era += 1
        eras.append(era)
        isDue = false
        total.mark()
        for owner in charges.keys { charges[owner]?.mark() }
        return era
    }

    /// Ends an era without a holder, and frees the lists last named before the earliest remaining one. Complexity:
    /// O(lists) if the ended era was the earliest.
    package mutating func endEra(_ ended: UInt64) {
        eras.removeAll { $0 == ended }
        guard let earliest = eras.first, earliest > settled else { return }
        settled = earliest
        letGo(before: earliest)
    }

    /// Names a list as in use. Returns false if it was freed.
    package mutating func touch(_ list: AccessListID) -> Bool {
        guard list.number > AccessListID.unknown.number else { return true }
        guard let place = find(list) else { return false }
        stored[place].named = era
        return true
    }

    /// Names a list that only the change log has. Returns false if the allowance does not permit it. A list named since
    /// the era `since` needs none. After a recent refusal, room is reserved for present files.
    package mutating func touch(_ list: AccessListID, since: UInt64, allowance: inout AccessListAllowance) -> Bool {
        guard list.number > AccessListID.unknown.number, let place = find(list), stored[place].named < since else {
            return true
        }
        let owner = stored[place].owner
        guard hasRoom(for: owner), allowance.take(stored[place].bytes.count, of: owner, share: share(of: owner)) else {
            return false
        }
        stored[place].named = era
        return true
    }

    private mutating func letGo(before earliest: UInt64) {
        var isRoomMade = false
        for place in 2..<stored.count where stored[place].number != 0 && stored[place].named < earliest {
            let gone = stored[place]
            numbers[gone.bytes] = nil
            stored[place] = StoredList()
            free.append((place, gone.number + (1 << AccessListTable.placeBits)))
            total.remove(gone.bytes.count)
            charges[gone.owner]?.remove(gone.bytes.count)
            if total.isPastShare || charges[gone.owner]?.isPastShare == true { isRoomMade = true }
            total.isPastShare = false
            charges[gone.owner]?.isPastShare = false
        }
        if isRoomMade { roomMade += 1 }
        total.lowerMark()
        for (owner, charge) in charges {
            guard charge.count > 0 || charge.isPastShare else {
                charges[owner] = nil
                continue
            }
            charges[owner]?.lowerMark()
        }
    }
}
