// The access control lists that files have, each kept once, and whose they are.
// SPDX-License-Identifier: Apache-2.0

/// Access control lists, each kept once, as long as somebody may have its handle. Whoever owns files can make lists without
/// end, so each is charged to the owner of the file that brought it first, and one owner has a share of the table: what they
/// cannot keep is theirs alone. The past is not: where one owner's lists of it are more than is allowed, an index forgets what it
/// logged until then, and whoever comes back to it with a clock from before is told everything anew.
///
/// Handles are numbers without a count of references: rows hold millions of them. What says that one is still there are eras.
/// Who has handles lives in an era (``AccessListLease``); to come to a later one he names again what he has
/// (``touch(_:)``). What was named last before the earliest era that somebody lives in, nobody has.
package struct AccessListTable {
    /// Past so many lists, or so many bytes of them, a new one is ``AccessListID/unknown``.
    package let maximumCount: Int
    /// Bytes of all lists together.
    package let maximumBytes: Int
    /// One owner other than root may take this part of either.
    package static let ownerShare = 16
    /// With fewer lists, or fewer bytes, of one owner it is not looked whether somebody still has them.
    static let leastCount = 1_024
    static let leastBytes = 256 << 10
    /// Nor before so large a part of a share came since it was looked last: who has nearly all of theirs in use, and sets one
    /// list after the other, would have it looked for each. Those are refused some, which is no haste.
    static let leastPart = 16
    /// A number is a place in the table, and above it how often the place was given. There are so many that none is given
    /// twice: a handle that somebody kept of a list that was let go, however long ago, is unknown, and never another list.
    static let placeBits: UInt64 = 17

    /// A list at its place.
    private struct Kept {
        /// Of the handle; 0 in a free place.
        var number: UInt64 = 0
        var bytes: [UInt8] = []
        var list = AccessList.refusing
        var owner: UInt32 = 0
        /// The era in which it was named last.
        var named: UInt64 = 0
    }

    /// What is charged to one owner.
    private struct Charge {
        var count = 0
        var bytes = 0
        /// What was there when the present era began, or less where so much was let go since.
        var markedCount = 0
        var markedBytes = 0
        /// Whether a list was refused since it would have been too much for their share.
        var isPastShare = false

        mutating func add(_ size: Int) {
            count += 1
            bytes += size
        }

        mutating func remove(_ size: Int) {
            count -= 1
            bytes -= size
        }

        /// An era begins.
        mutating func mark() { (markedCount, markedBytes) = (count, bytes) }

        /// What nobody had has gone.
        mutating func lowerMark() { (markedCount, markedBytes) = (min(markedCount, count), min(markedBytes, bytes)) }

        /// Whether so much came since that it is time to look what is still there: well before all of it is taken.
        func isDue(share: (count: Int, bytes: Int), least: (count: Int, bytes: Int)) -> Bool {
            func isDue(_ now: Int, _ marked: Int, _ share: Int, _ least: Int) -> Bool {
                now - marked >= share / AccessListTable.leastPart
                    && now >= min((marked + share) / 2, max(2 * marked, least))
            }
            return isDue(count, markedCount, share.count, least.count)
                || isDue(bytes, markedBytes, share.bytes, least.bytes)
        }
    }

    /// By place: nothing for no list, and for an unknown one bytes that are no list.
    private var kept: [Kept] = [Kept(), Kept(number: 1, bytes: [0xFF])]
    private var free: [(place: Int, next: UInt64)] = []
    private var numbers: [[UInt8]: UInt64] = [[]: 0, [0xFF]: 1]
    private var charges: [UInt32: Charge] = [:]
    /// What is charged to all.
    private var total = Charge()

    /// The eras that somebody lives in, ascending, and the last that began.
    private var eras: [UInt64] = []
    private var era: UInt64 = 0
    /// What was named before this era is gone.
    private var settled: UInt64 = 0

    /// Whether it is time for a new era: so much came since the last. Never since something was refused: where all that there
    /// is room for is in use, that would be each time that somebody looks.
    package private(set) var isDue = false
    /// Whether somebody lives in an era before the present one, which keeps what was named then.
    package var hasFormerEras: Bool { eras.count > 1 }
    /// How often there was room again for somebody who had been refused.
    package private(set) var roomMade: UInt64 = 0

    package init(maximumCount: Int, maximumBytes: Int) {
        precondition(maximumCount + 2 < 1 << AccessListTable.placeBits)
        self.maximumCount = maximumCount
        self.maximumBytes = maximumBytes
    }

    /// How many lists are kept.
    package var count: Int { total.count }
    /// Bytes of all of them.
    package var byteCount: Int { total.bytes }

    /// Whether nothing was refused of late that an owner brought.
    package func hasRoom(for owner: UInt32) -> Bool { !total.isPastShare && charges[owner]?.isPastShare != true }

    /// The handle of a list, given as the bytes of its extended attribute, of a file of this owner; `none` for no bytes.
    /// Bytes that are no list get a handle too: such a list grants nothing. Complexity: O(bytes).
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
        kept[AccessListTable.place(known)].named = era
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
        let place = free.popLast() ?? (kept.count, UInt64(kept.count))
        if place.place == kept.count { kept.append(Kept()) }
        kept[place.place] = Kept(
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

    /// The handle of a list that a file had when what is known of it was saved. It was kept then, be it by another's share: no
    /// share keeps it out now. Nil where there is no room at all.
    package mutating func restore(_ bytes: [UInt8], owner: UInt32) -> AccessListID? {
        if let known = find(bytes) { return known }
        return hasRoomInAll(bytes) ? add(bytes, owner) : nil
    }

    /// Files of another owner have a list too that was restored: it is charged to the one of both who has more of a share left.
    /// Which of them brought it first is not known any more, and one is not to be charged for all that they have in common.
    package mutating func balance(_ list: AccessListID, with other: UInt32) {
        guard list.isKept, let place = find(list), kept[place].owner != other else { return }
        let (owner, size) = (kept[place].owner, kept[place].bytes.count)
        guard load(of: other, with: size) < load(of: owner) else { return }
        charges[owner]?.remove(size)
        charges[other, default: Charge()].add(size)
        kept[place].owner = other
    }

    /// How much of a share an owner has, with one more list of some size.
    private func load(of owner: UInt32, with size: Int? = nil) -> Double {
        let (share, charge) = (share(of: owner), charges[owner] ?? Charge())
        let (count, bytes) = (charge.count + (size == nil ? 0 : 1), charge.bytes + (size ?? 0))
        return max(Double(count) / Double(share.count), Double(bytes) / Double(share.bytes))
    }

    /// The same of a list that only the past had; nil, and nothing counts as refused, where that is more than is allowed.
    package mutating func restore(
        past bytes: [UInt8], owner: UInt32, allowance: inout AccessListAllowance
    ) -> AccessListID? {
        if let known = find(bytes) { return known }
        guard hasRoom(for: owner), hasRoomInAll(bytes), hasRoom(bytes, owner),
            allowance.take(bytes.count, of: owner, share: share(of: owner))
        else { return nil }
        return add(bytes, owner)
    }

    /// What one owner may have; root has no share but the whole.
    package func share(of owner: UInt32) -> (count: Int, bytes: Int) {
        let parts = owner == 0 ? 1 : AccessListTable.ownerShare
        return (maximumCount / parts, maximumBytes / parts)
    }

    private static func place(_ number: UInt64) -> Int { Int(number & (1 << placeBits - 1)) }

    private func find(_ list: AccessListID) -> Int? {
        let place = AccessListTable.place(list.number)
        return place < kept.count && kept[place].number == list.number ? place : nil
    }

    /// The bytes of a list, empty for none; for a handle that is none those of an unknown one.
    package func bytes(of list: AccessListID) -> [UInt8] { kept[find(list) ?? 1].bytes }

    /// The list itself; one that grants nothing for a handle that is none.
    package func list(_ list: AccessListID) -> AccessList { kept[find(list) ?? 1].list }

    // MARK: Letting go

    /// Begins an era, the present one from now on, which somebody lives in.
    package mutating func beginEra() -> UInt64 {
        era += 1
        eras.append(era)
        isDue = false
        total.mark()
        for owner in charges.keys { charges[owner]?.mark() }
        return era
    }

    /// Nobody lives in that era any more. What nobody can have any more is let go: what was named last before the earliest
    /// of those that are left. Complexity: O(lists), where that was the earliest.
    package mutating func endEra(_ ended: UInt64) {
        eras.removeAll { $0 == ended }
        guard let earliest = eras.first, earliest > settled else { return }
        settled = earliest
        letGo(before: earliest)
    }

    /// Names a list as one that is still there; false for one that was let go.
    package mutating func touch(_ list: AccessListID) -> Bool {
        guard list.number > AccessListID.unknown.number else { return true }
        guard let place = find(list) else { return false }
        kept[place].named = era
        return true
    }

    /// Names a list that only the past has, if the allowance for such has room for it; one that was named since an era began
    /// needs none. Where something was refused of late, the room is for what files have now.
    package mutating func touch(_ list: AccessListID, since: UInt64, allowance: inout AccessListAllowance) -> Bool {
        guard list.number > AccessListID.unknown.number, let place = find(list), kept[place].named < since else {
            return true
        }
        let owner = kept[place].owner
        guard hasRoom(for: owner), allowance.take(kept[place].bytes.count, of: owner, share: share(of: owner)) else {
            return false
        }
        kept[place].named = era
        return true
    }

    private mutating func letGo(before earliest: UInt64) {
        var isRoomMade = false
        for place in 2..<kept.count where kept[place].number != 0 && kept[place].named < earliest {
            let gone = kept[place]
            numbers[gone.bytes] = nil
            kept[place] = Kept()
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
