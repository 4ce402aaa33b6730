// The live queries of all callers, and the amounts that each user has of them.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Varlink

/// A live query in the table.
protocol TableMember: AnyObject {
    var peer: PeerCredentials { get }
    /// Bytes of its predicate. They do not change while it is in the table.
    var predicateBytes: Int { get }
    /// Bytes of its pending changes.
    var pendingBytes: Int { get }
    /// Whether it is to be looked at. For the table alone, until it is taken.
    var isReady: Bool { get set }
}

/// Live queries, with the amounts and limits of each user and of all. Each has parts, one for each container, by which it is found.
struct SubscriptionTable<Member: TableMember> {
    private let limits: ServiceLimits
    private var members: [ObjectIdentifier: Member] = [:]
    private var owners: [ObjectIdentifier: Member] = [:]
    private var countOfUser: [UInt32: Int] = [:]
    private var predicateBytesOfUser: [UInt32: Int] = [:]
    /// The most that there were since a crowd has gone.
    private var most = 0
    private var ready: [Member] = []
    /// Changes that subscribers have not taken, in memory and in the change logs.
    private(set) var pendingItems = 0
    /// Bytes that they take in memory.
    private(set) var pendingBytes = 0
    /// These bytes by user, without users that have none.
    private var pendingBytesOfUser: [UInt32: Int] = [:]

    init(limits: ServiceLimits) { self.limits = limits }

    /// So many live queries take memory that is worth giving back: 10 KiB each, with their connections.
    static var crowd: Int { 256 }

    var count: Int { members.count }
    /// All of them, in no order.
    var all: some Collection<Member> { members.values }

    func count(of user: UInt32) -> Int { countOfUser[user, default: 0] }

    /// Refuses a live query that would be one too many, or whose predicate would be too much.
    func admit(_ peer: PeerCredentials, predicateBytes: Int) throws(QueryError) {
        if members.count >= limits.liveQueries {
            throw .limitExceeded(limit: "liveQueries", value: Int64(limits.liveQueries))
        }
        if AccessPolicy.isOperator(peer) { return }
        if count(of: peer.userID) >= limits.liveQueriesPerUser {
            throw .limitExceeded(limit: "liveQueriesPerUser", value: Int64(limits.liveQueriesPerUser))
        }
        if predicateBytesOfUser[peer.userID, default: 0] + predicateBytes > limits.predicateBytesPerUser {
            throw .limitExceeded(limit: "predicateBytesPerUser", value: Int64(limits.predicateBytesPerUser))
        }
    }

    mutating func add(_ member: Member) {
        members[ObjectIdentifier(member)] = member
        most = max(most, members.count)
        countOfUser[member.peer.userID, default: 0] += 1
        predicateBytesOfUser[member.peer.userID, default: 0] += member.predicateBytes
    }

    /// Removes a live query; nothing happens the second time. Returns whether a crowd has gone, so that its memory is worth giving
    /// back.
    mutating func remove(_ member: Member) -> Bool {
        guard members.removeValue(forKey: ObjectIdentifier(member)) != nil else { return false }
        let user = member.peer.userID
        let left = countOfUser[user, default: 1] - 1
        countOfUser[user] = left > 0 ? left : nil
        let bytes = predicateBytesOfUser[user, default: 0] - member.predicateBytes
        predicateBytesOfUser[user] = left > 0 ? bytes : nil
        guard most >= Self.crowd, members.count <= most / 2 else { return false }
        most = members.count
        return true
    }

    // MARK: Parts

    /// Returns the live query that has a part; nil if there is none.
    func owner(of part: some AnyObject) -> Member? { owners[ObjectIdentifier(part)] }

    /// Notes or forgets the live query that has a part.
    mutating func setOwner(_ member: Member?, of part: some AnyObject) { owners[ObjectIdentifier(part)] = member }

    // MARK: Delivery

    /// Whether one is marked ready.
    var hasReady: Bool { !ready.isEmpty }

    /// Has a live query looked at in this loop iteration, or the next.
    mutating func markReady(_ member: Member) {
        guard !member.isReady else { return }
        member.isReady = true
        ready.append(member)
    }

    /// Returns those that are marked, in this order. They stay marked until each is looked at.
    mutating func takeReady() -> [Member] {
        defer { ready = [] }
        return ready
    }

    // MARK: Pending changes

    /// Counts pending changes of a user that came, or went if the numbers are negative.
    mutating func notePending(of user: UInt32, items: Int, bytes: Int) {
        pendingItems += items
        if bytes == 0 { return }
        pendingBytes += bytes
        let sum = pendingBytesOfUser[user, default: 0] + bytes
        pendingBytesOfUser[user] = sum > 0 ? sum : nil
    }

    /// Returns a live query that must end, with the limit: the one with most bytes pending of a user past the limit of one user,
    /// then of the user with most while all together are past the limit of all. Nil within the limits.
    /// Complexity: O(1) while all together are within the limit of one user; O(users) while each of them is.
    func furthestBehind() -> (member: Member, limit: String, value: Int)? {
        let (perUser, inAll) = (limits.pendingBytesPerUser, limits.pendingBytesInAll)
        guard pendingBytes > min(perUser, inAll) else { return nil }
        for (user, bytes) in pendingBytesOfUser where bytes > perUser {
            if let member = furthest(of: user) { return (member, "pendingBytesPerUser", perUser) }
        }
        guard pendingBytes > inAll else { return nil }
        for (user, _) in pendingBytesOfUser.sorted(by: { $0.value > $1.value }) {
            if let member = furthest(of: user) { return (member, "pendingBytesInAll", inAll) }
        }
        return nil
    }

    /// Returns the live query of a user that has most bytes pending; nil if none has any, as when it is not in the table any more.
    private func furthest(of user: UInt32) -> Member? {
        let most = members.values.filter { $0.peer.userID == user }.max { $0.pendingBytes < $1.pendingBytes }
        return most.flatMap { $0.pendingBytes > 0 ? $0 : nil }
    }
}

extension Subscription: TableMember {}
