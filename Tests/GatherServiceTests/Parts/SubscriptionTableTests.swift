// Each user has so many live queries and pending changes, and all together so many.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import Testing
import Varlink

@testable import GatherService

struct SubscriptionTableTests {
    private final class Query: TableMember {
        let peer: PeerCredentials
        let predicateBytes: Int
        var pendingBytes = 0
        var isReady = false

        init(_ user: UInt32, predicateBytes: Int = 0) {
            peer = SubscriptionTableTests.peer(user)
            self.predicateBytes = predicateBytes
        }
    }

    /// Users that are not operators, whoever runs the tests.
    private static func peer(_ user: UInt32) -> PeerCredentials {
        PeerCredentials(processID: 1, userID: geteuid() &+ 1_000_000 &+ user, groupID: 1, groups: [])
    }

    private static func limits() -> ServiceLimits {
        var limits = ServiceLimits()
        (limits.liveQueries, limits.liveQueriesPerUser, limits.predicateBytesPerUser) = (4, 2, 100)
        (limits.pendingBytesPerUser, limits.pendingBytesInAll) = (100, 150)
        return limits
    }

    private func note(_ bytes: Int, _ query: Query, _ table: inout SubscriptionTable<Query>) {
        table.notePending(of: query.peer.userID, items: 1, bytes: bytes - query.pendingBytes)
        query.pendingBytes = bytes
    }

    private func limit(_ table: SubscriptionTable<Query>, _ user: UInt32, _ bytes: Int = 0) -> String? {
        do {
            try table.admit(Self.peer(user), predicateBytes: bytes)
            return nil
        } catch {
            guard case .limitExceeded(let limit, _) = error else { return "\(error)" }
            return limit
        }
    }

    @Test func limitsAreOfOneUserAndOfAll() {
        var table = SubscriptionTable<Query>(limits: Self.limits())
        let first = [Query(1, predicateBytes: 60), Query(1)]
        table.add(first[0])
        #expect(limit(table, 1, 40) == nil)
        #expect(limit(table, 1, 41) == "predicateBytesPerUser")
        table.add(first[1])
        #expect(limit(table, 1) == "liveQueriesPerUser")
        #expect(limit(table, 2, 100) == nil)
        for query in [Query(2), Query(3)] { table.add(query) }
        #expect(limit(table, 4) == "liveQueries")
        _ = table.remove(first[0])
        _ = table.remove(first[0])
        #expect(table.count == 3 && table.count(of: first[0].peer.userID) == 1)
        #expect(limit(table, 1, 100) == nil)
    }

    @Test func theLiveQueryWithMostPendingEnds() throws {
        var table = SubscriptionTable<Query>(limits: Self.limits())
        let queries = [Query(1), Query(1), Query(2), Query(3)]
        for query in queries { table.add(query) }
        for (query, bytes) in zip(queries, [40, 50, 30, 20]) { note(bytes, query, &table) }
        #expect(table.furthestBehind() == nil)
        note(61, queries[0], &table)
        var behind = try #require(table.furthestBehind())
        #expect(behind.member === queries[0] && behind.limit == "pendingBytesPerUser" && behind.value == 100)
        note(0, queries[0], &table)
        #expect(table.furthestBehind() == nil)
        note(81, queries[3], &table)
        behind = try #require(table.furthestBehind())
        #expect(behind.member === queries[3] && behind.limit == "pendingBytesInAll" && behind.value == 150)
        note(0, queries[3], &table)
        #expect(table.furthestBehind() == nil && table.pendingBytes == 80)
    }

    /// Bytes that belong to no live query of the table hide none that is past a limit, whichever user is looked at first.
    @Test(arguments: 1...8 as ClosedRange<UInt32>)
    func usersWithoutALiveQueryHideNoOther(_ user: UInt32) throws {
        var table = SubscriptionTable<Query>(limits: Self.limits())
        for other in 11...18 as ClosedRange<UInt32> {
            table.notePending(of: Self.peer(other).userID, items: 1, bytes: 200)
        }
        #expect(table.furthestBehind() == nil)
        let query = Query(user)
        table.add(query)
        note(60, query, &table)
        var behind = try #require(table.furthestBehind())
        #expect(behind.member === query && behind.limit == "pendingBytesInAll")
        note(101, query, &table)
        behind = try #require(table.furthestBehind())
        #expect(behind.member === query && behind.limit == "pendingBytesPerUser")
    }

    @Test func oneIsMarkedOnceUntilItIsLookedAt() {
        var table = SubscriptionTable<Query>(limits: Self.limits())
        let (first, second) = (Query(1), Query(2))
        for query in [second, first, second] { table.markReady(query) }
        #expect(table.hasReady)
        let ready = table.takeReady()
        #expect(ready.map(ObjectIdentifier.init) == [second, first].map(ObjectIdentifier.init))
        table.markReady(first)
        #expect(!table.hasReady, "it is going to be looked at")
        first.isReady = false
        table.markReady(first)
        #expect(table.hasReady)
    }

    @Test func partsLeadToTheirLiveQuery() {
        var table = SubscriptionTable<Query>(limits: Self.limits())
        let (query, part) = (Query(1), LiveQueryStandIn())
        #expect(table.owner(of: part) == nil)
        table.setOwner(query, of: part)
        #expect(table.owner(of: part) === query)
        table.setOwner(nil, of: part)
        #expect(table.owner(of: part) == nil)
    }

    private final class LiveQueryStandIn {}

    @Test func theEndOfACrowdIsToldOnce() {
        var table = SubscriptionTable<Query>(limits: Self.limits())
        let crowd = (0..<SubscriptionTable<Query>.crowd).map { _ in Query(1) }
        for query in crowd { table.add(query) }
        let told = crowd.map { table.remove($0) }
        #expect(told.filter { $0 }.count == 1)
        #expect(told[crowd.count / 2 - 1])
    }
}
