// A caller sees a container if it can list its directory, and items in it if it can search it.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Glibc
import LiveQueries
import Metadata
import MetadataIndex
import Testing
import Varlink

@testable import GatherService

struct AccessControlTests {
    private final class Source: AccessSource {
        var above: [FileAccess]? = []
        var containerState: WatchState? = .live
        func directoriesAbove(_ number: UInt32) -> [FileAccess]? { above }
        func state(of number: UInt32) -> WatchState? { containerState }
    }

    private static let user = geteuid() &+ 1_000_000
    private static let caller = Credentials(user: user, groups: [user])

    private static func peer(_ user: UInt32) -> PeerCredentials {
        PeerCredentials(processID: 1, userID: user, groupID: user, groups: [])
    }

    /// A container whose directory has a mode, and belongs to another user.
    private func record(mode: UInt16) throws -> ContainerRecord {
        let record = ContainerRecord(
            number: 1, configuration: try ContainerConfiguration(identifier: "a", path: "/none", origin: .runtime))
        let status = FileStatus(
            kind: .directory, mode: mode, size: 0, created: nil, modified: Timestamp(nanoseconds: 0),
            changed: Timestamp(nanoseconds: 0), owner: Self.user &+ 1, group: Self.user &+ 1, links: 1, inode: 1,
            device: 1)
        _ = try record.index.update(.root, status)
        return record
    }

    @Test func operatorsAndTheHelperSeeAll() {
        var access = AccessControl(tellsCallersApart: true, source: Source())
        #expect(access.restriction(of: Self.peer(0)) == nil)
        #expect(access.restriction(of: Self.peer(geteuid())) == nil)
        #expect(access.restriction(of: Self.peer(Self.user)) == Self.peer(Self.user).credentials)
        #expect(!access.mayReportStates(Self.peer(Self.user)))
        access.setSyncUser(Self.user)
        #expect(access.mayReportStates(Self.peer(Self.user)) && access.restriction(of: Self.peer(Self.user)) == nil)
        access.setSyncUser(nil)
        #expect(access.restriction(of: Self.peer(Self.user)) != nil)
    }

    @Test func aDaemonOfOneUserTellsNobodyApart() throws {
        let access = AccessControl(tellsCallersApart: false, source: Source())
        #expect(access.restriction(of: Self.peer(Self.user)) == nil)
        let record = try record(mode: 0o700)
        #expect(access.isListed(record, for: nil) && access.isOpen(record, for: nil))
        #expect(access.viewer(nil, of: record) == nil && access.ancestorAccess(of: record).isEmpty)
    }

    @Test(
        arguments: [
            (0o755, true, true), (0o744, true, true), (0o711, false, true), (0o700, false, false),
        ] as [(UInt16, Bool, Bool)])
    func modesDecide(mode: UInt16, isListed: Bool, isOpen: Bool) throws {
        let source = Source()
        let access = AccessControl(tellsCallersApart: true, source: source)
        let record = try record(mode: mode)
        #expect(access.isListed(record, for: Self.caller) == isListed)
        #expect(access.isOpen(record, for: Self.caller) == isOpen)
        #expect(access.names(of: [record], for: Self.caller) == (isListed ? ["a"] : []))
        source.above = [FileAccess(mode: 0o700, owner: Self.user &+ 1, group: Self.user &+ 1, accessList: .none)]
        #expect(!access.isOpen(record, for: Self.caller), "the directory above is closed")
    }

    @Test func aContainerThatIsVerifiedShowsNothingUntilThen() throws {
        let source = Source()
        let access = AccessControl(tellsCallersApart: true, source: source)
        let record = try record(mode: 0o755)
        source.containerState = .verifying
        #expect(access.viewer(Self.caller, of: record)?.seesAnything == false)
        #expect(record.access.noteVerified() == true)
        #expect(access.viewer(Self.caller, of: record)?.seesAnything == true)
        record.access.noteUnavailable()
        source.containerState = .live
        #expect(access.viewer(Self.caller, of: record)?.seesAnything == true)
    }

    @Test func theAccessOfTheDaemonBeforeIsKeptUntilItIsLookedAt() throws {
        let source = Source()
        let access = AccessControl(tellsCallersApart: true, source: source)
        let record = try record(mode: 0o755)
        let present = access.ancestorAccess(of: record)
        #expect(!present.isEmpty)
        record.access = ContainerAccess(changed: 0, ancestorAccess: [1, 2])
        #expect(access.ancestorAccess(of: record) == [1, 2])
        #expect(record.access.takeFormerAncestorAccess() == [1, 2])
        source.above = nil
        #expect(access.ancestorAccess(of: record).isEmpty, "it is not known")
    }
}
