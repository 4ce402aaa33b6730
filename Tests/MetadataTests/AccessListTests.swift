// Access control lists against vectors worked out by hand from acl(5), and the table that keeps them.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Metadata

struct AccessListTests {
    /// `user::rw-,user:1001:r-x,group::r--,group:2002:rwx,mask::r-x,other::--x`
    static let list = AccessList(entries: [
        .init(.owner, [.read, .write]), .init(.user, [.read, .search], number: 1001), .init(.owningGroup, .read),
        .init(.group, [.read, .write, .search], number: 2002), .init(.mask, [.read, .search]),
        .init(.other, .search),
    ])

    /// The list that `setfacl -m u:1001:rx,g:2002:rwx,m:rx` leaves on a file of mode 0641, as getxattr(2) gives it.
    static let bytes: [UInt8] = [
        2, 0, 0, 0, 1, 0, 6, 0, 255, 255, 255, 255, 2, 0, 5, 0, 0xE9, 3, 0, 0, 4, 0, 4, 0, 255, 255, 255, 255, 8, 0, 7,
        0, 0xD2, 7, 0, 0, 16, 0, 5, 0, 255, 255, 255, 255, 32, 0, 1, 0, 255, 255, 255, 255,
    ]

    @Test func `A list is read from the bytes of the extended attribute, and written`() {
        #expect(AccessList(Self.bytes) == Self.list)
        #expect(Self.list.bytes == Self.bytes)
    }

    @Test(
        arguments: [
            [], [2], [2, 0, 0], [1, 0, 0, 0], [2, 0, 0, 0, 1], [2, 0, 0, 0, 1, 0, 6, 0, 255, 255, 255],
            [2, 0, 0, 0, 3, 0, 6, 0, 255, 255, 255, 255], [0xFF],
        ] as [[UInt8]])
    func `Bytes that are no list are refused`(_ bytes: [UInt8]) { #expect(AccessList(bytes) == nil) }

    struct Vector: Sendable {
        let user: UInt32
        let groups: [UInt32]
        let wanted: Permissions
        let answer: Bool
        init(_ user: UInt32, _ groups: [UInt32], _ wanted: Permissions, _ answer: Bool) {
            self.user = user
            self.groups = groups
            self.wanted = wanted
            self.answer = answer
        }
    }

    /// The file belongs to user 1000 and group 2000.
    @Test(arguments: [
        // The named user's entry decides alone, whatever groups it is in.
        Vector(1001, [5], .read, true), Vector(1001, [5], .search, true), Vector(1001, [5], .write, false),
        Vector(1001, [2002], .write, false), Vector(1001, [2000], [.read, .search], true),
        // The owning group.
        Vector(1002, [2000], .read, true), Vector(1002, [2000], .search, false),
        // A named group, within the mask.
        Vector(1002, [2002], .read, true), Vector(1002, [2002], .search, true), Vector(1002, [2002], .write, false),
        // Any one of the groups has to grant all of it.
        Vector(1002, [2000, 2002], [.read, .search], true),
        // Others: only who is in none of the groups.
        Vector(1002, [5], .search, true), Vector(1002, [5], .read, false), Vector(1002, [2000, 5], .search, false),
    ])
    func `Entries are found in the order of acl(5)`(_ vector: Vector) {
        let caller = Credentials(user: vector.user, groups: vector.groups)
        #expect(Self.list.grants(vector.wanted, to: caller, owningGroup: 2000) == vector.answer)
    }

    @Test func `Equal lists have equal handles, and other lists others`() {
        let lease = AccessLists.lease()
        defer { withExtendedLifetime(lease) {} }
        let a = AccessLists.intern(Self.bytes, owner: 0)
        #expect(AccessLists.intern(Self.bytes, owner: 0) == a)
        var other = Self.bytes
        other[6] = 7
        #expect(AccessLists.intern(other, owner: 0) != a)
        #expect(AccessLists.bytes(of: a) == Self.bytes)
        #expect(AccessLists.list(a) == Self.list)
    }

    @Test func `No list and an unknown one survive being written`() {
        #expect(AccessLists.intern(AccessLists.bytes(of: .none), owner: 0) == .none)
        #expect(AccessLists.intern(AccessLists.bytes(of: .unknown), owner: 0) == .unknown)
        #expect(AccessLists.bytes(of: .none).isEmpty)
    }

    @Test func `A handle that was never given out grants nothing`() {
        let caller = Credentials(user: 1, groups: [1])
        let never = AccessListID(number: .max)
        #expect(!caller.may(.read, FileAccess(mode: 0o777, owner: 0, group: 0, accessList: never)))
        #expect(AccessLists.intern(AccessLists.bytes(of: never), owner: 0) == .unknown)
    }
}
