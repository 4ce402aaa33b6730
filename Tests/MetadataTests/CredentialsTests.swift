// Permission bits and lists against vectors worked out by hand.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Metadata

struct CredentialsTests {
    private let caller = Credentials(user: 1000, groups: [3, 1, 2, 3])

    @Test func `Groups are found`() {
        #expect(caller.groups == [1, 2, 3])
        for group in UInt32(0)..<6 { #expect(caller.isMember(of: group) == (1...3).contains(group)) }
        #expect(!Credentials(user: 1, groups: []).isMember(of: 0))
    }

    /// One class of the mode decides, even where a later one would grant more.
    @Test(
        arguments: [
            (0o400, 1000, 9, true), (0o077, 1000, 1, false), (0o040, 7, 1, true), (0o040, 7, 9, false),
            (0o707, 7, 2, false), (0o004, 7, 9, true), (0o774, 7, 9, true), (0o770, 7, 9, false),
        ] as [(UInt16, UInt32, UInt32, Bool)])
    func `The permission bits of one class decide`(_ mode: UInt16, _ owner: UInt32, _ group: UInt32, _ answer: Bool) {
        #expect(caller.may(.read, FileAccess(mode: mode, owner: owner, group: group, accessList: .none)) == answer)
    }

    /// Two that have no number in a user namespace may be different ones.
    @Test func unmappedUsersAndGroupsMatchNone() {
        let stranger = Credentials(user: Credentials.unmapped, groups: [Credentials.unmapped])
        let unmapped = FileAccess(
            mode: 0o660, owner: Credentials.unmapped, group: Credentials.unmapped, accessList: .none)
        #expect(!stranger.may(.read, unmapped))
        // The kernel tells the overflow numbers for a file's owner and group that are not mapped.
        #expect(!stranger.may(.read, FileAccess(mode: 0o660, owner: 65_534, group: 65_534, accessList: .none)))
        #expect(stranger.may(.read, FileAccess(mode: 0o664, owner: 65_534, group: 65_534, accessList: .none)))
        for tag in [AccessList.Tag.user, .group] {
            let list = AccessList(entries: [
                .init(.owner, .read), .init(tag, .read, number: Credentials.unmapped), .init(.owningGroup, []),
                .init(.mask, .read), .init(.other, []),
            ])
            #expect(!list.grants(.read, to: stranger, owningGroup: Credentials.unmapped))
        }
    }

    @Test func `Root may do anything`() {
        let root = Credentials(user: 0, groups: [])
        #expect(root.may([.read, .search], FileAccess(mode: 0, owner: 5, group: 5, accessList: .unknown)))
    }

    @Test func `The owner's bits come before a list, which comes before the others' bits`() {
        let lease = AccessLists.lease()
        defer { withExtendedLifetime(lease) {} }
        let list = AccessLists.intern(
            AccessList(entries: [
                .init(.owner, []), .init(.user, .read, number: 1000), .init(.owningGroup, []), .init(.mask, .read),
                .init(.other, .read),
            ]).bytes, owner: 0)
        #expect(!caller.may(.read, FileAccess(mode: 0o044, owner: 1000, group: 9, accessList: list)))
        #expect(caller.may(.read, FileAccess(mode: 0o044, owner: 7, group: 9, accessList: list)))
        #expect(!caller.may(.read, FileAccess(mode: 0o044, owner: 7, group: 2, accessList: .unknown)))
        #expect(!caller.may(.read, FileAccess(mode: 0o004, owner: 7, group: 9, accessList: .unknown)))
    }

    /// The kernel does not look at a list whose mask is empty: `mode & S_IRWXG` in `acl_permission_check`.
    @Test func `A list whose mask is empty counts for nothing`() {
        let lease = AccessLists.lease()
        defer { withExtendedLifetime(lease) {} }
        let list = AccessLists.intern(
            AccessList(entries: [
                .init(.owner, []), .init(.user, .read, number: 1000), .init(.owningGroup, []), .init(.mask, []),
                .init(.other, .read),
            ]).bytes, owner: 0)
        #expect(caller.may(.read, FileAccess(mode: 0o004, owner: 7, group: 9, accessList: list)))
        #expect(!caller.may(.read, FileAccess(mode: 0o004, owner: 7, group: 2, accessList: list)))
    }
}
