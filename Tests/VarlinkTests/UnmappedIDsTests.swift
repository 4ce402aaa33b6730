// Users and groups that have no numbers in a user namespace.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing
import Varlink

@Suite struct UnmappedIDsTests {
    private static let whole = "         0          0 4294967295\n"
    private static let one = "         0       1000          1\n"
    private static let rootless = "         0       1000          1\n         1     100000      65536\n"

    @Test func overflowUserIsAnOrdinaryOneWhereEveryUserIsMapped() {
        let host = UnmappedIDs(
            userMap: Self.whole, groupMap: Self.whole, overflowUser: "65534\n", overflowGroup: "65534\n")
        for number in [0, 1000, 65_534] as [UInt32] {
            #expect(host.user(number) == number && host.group(number) == number)
        }
        let split = UnmappedIDs(
            userMap: "0 0 65536\n65536 65536 4294901759\n", groupMap: Self.whole, overflowUser: "65534",
            overflowGroup: "65534")
        #expect(split.user(65_534) == 65_534)
    }

    @Test(arguments: [one, rootless, "", "nonsense"])
    func overflowUserMatchesNoneWhereSomeAreNotMapped(map: String) {
        let inside = UnmappedIDs(userMap: map, groupMap: map, overflowUser: "65534\n", overflowGroup: "65533\n")
        #expect(inside.user(65_534) == UnmappedIDs.none && inside.user(65_533) == 65_533)
        #expect(inside.group(65_533) == UnmappedIDs.none && inside.group(65_534) == 65_534)
        #expect(inside.user(0) == 0 && inside.group(1000) == 1000)
    }

    @Test func unreadableMapCountsAsOneThatMissesUsers() {
        let unknown = UnmappedIDs(userMap: nil, groupMap: nil, overflowUser: nil, overflowGroup: nil)
        #expect(unknown.user(65_534) == UnmappedIDs.none && unknown.group(65_534) == UnmappedIDs.none)
        #expect(unknown.user(1000) == 1000)
    }

    @Test func peerWithoutNumbersHasNoneThatMatch() throws {
        let (user, group) = (PeerCredentials.current.userID, PeerCredentials.current.groupID)
        var ends: [CInt] = [0, 0]
        try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        // As if those of this process were the numbers of all that are not mapped.
        let peer = try PeerCredentials(
            ofPeer: ends[0],
            unmapped: UnmappedIDs(
                userMap: Self.one, groupMap: Self.one, overflowUser: "\(user)", overflowGroup: "\(group)"))
        #expect(peer.userID == UnmappedIDs.none && peer.groupID == UnmappedIDs.none)
        #expect(!peer.groups.contains(group))
    }
}
