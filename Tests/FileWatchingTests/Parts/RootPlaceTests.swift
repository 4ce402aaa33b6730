// Whether the directory of a container is there: the findings of looks at it, and the reason of its state.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata
import Testing

@testable import FileWatching

@Suite struct RootPlaceTests {
    private let enclosure = Enclosure(directories: ["/a"], reason: "it lies in another one")

    /// One look, which may find the directory of the container itself.
    private func look(_ place: inout RootPlace, isMountRoot: Bool, isEnclosed: Bool = false) -> Bool {
        _ = place.beginLook()
        place.foundDirectory(isMountRoot: isMountRoot)
        return place.found(isEnclosed: isEnclosed)
    }

    @Test func aContainerIsUnavailableUntilItsDirectoryIsFound() {
        var place = RootPlace()
        #expect(place.failure == .noEntry && place.reason(ContainerMounts()) == SystemError.noEntry.description)
        let isOwn = look(&place, isMountRoot: false)
        place.found()
        #expect(isOwn && place.isReadable && place.reason(ContainerMounts()) == nil)
        place.setReadError(.noAccess)
        #expect(!place.isReadable && place.reason(ContainerMounts()) == SystemError.noAccess.description)
        place.lost(.stale)
        #expect(place.failure == .stale && place.readError == nil)
        place.failed(.busy)
        #expect(place.reason(ContainerMounts()) == SystemError.busy.description)
    }

    @Test func aMountPointStandsForNothingWithoutItsFileSystem() {
        var place = RootPlace(isMountPoint: true)
        let isEmpty = look(&place, isMountRoot: false)
        #expect(!isEmpty && place.isUnmounted && place.reason(ContainerMounts()) == "its file system is not mounted")
        let isMounted = look(&place, isMountRoot: true)
        #expect(isMounted && !place.isUnmounted)
        // A place that was no mount point becomes one by the mount that is found there.
        var other = RootPlace()
        let wasOwn = look(&other, isMountRoot: true)
        other.foundMount()
        let isStillOwn = look(&other, isMountRoot: false)
        #expect(wasOwn && !isStillOwn && other.isUnmounted)
    }

    @Test func anEnclosedContainerSaysWhyUntilALookSaysOtherwise() {
        var place = RootPlace()
        let (isNew, isSame) = (place.setEnclosure(enclosure), place.setEnclosure(enclosure))
        #expect(isNew && !isSame)
        let isOwn = look(&place, isMountRoot: false, isEnclosed: true)
        #expect(!isOwn && place.isEnclosed && place.reason(ContainerMounts()) == "it lies in another one")
        // A look that fails for want of something says nothing of it, any other does.
        var findings = place.beginLook()
        place.endLook(after: .tooManyDescriptors, findings)
        #expect(place.isEnclosed)
        findings = place.beginLook()
        place.endLook(after: .noEntry, findings)
        #expect(!place.isEnclosed)
    }

    private static let (own, other) = (ContainerToken.random(), ContainerToken.random())
    private static let (here, there) = (identity(2), identity(3))

    private static func identity(_ inode: UInt64, device: UInt64 = 1) -> FileIdentity {
        FileIdentity(device: device, inode: inode, created: Timestamp(nanoseconds: Int64(inode)))
    }

    @Test(
        arguments: [
            // Known, found, from the known directory, watched: the finding, and the mark afterwards.
            (nil, .none, false, false, nil, nil), (nil, .token(own), false, false, nil, own),
            (nil, .unreadable, false, false, nil, nil),
            (own, .token(own), true, false, nil, own), (own, .none, true, false, nil, own),
            (own, .token(other), true, false, nil, other), (own, .unreadable, true, false, nil, own),
            // A new directory with the inode number of the one that was watched.
            (own, .none, false, true, .unmarked, own), (own, .token(other), false, true, .another, own),
            (own, .token(own), false, false, .copy, own), (own, .none, false, false, .unmarked, own),
            (own, .token(other), false, false, .another, own), (own, .unreadable, false, false, .unreadable, own),
        ] as [(ContainerToken?, ContainerMark.Finding, Bool, Bool, ContainerStranger?, ContainerToken?)])
    func aMarkTellsTheContainerFromOthers(
        known: ContainerToken?, found: ContainerMark.Finding, isKnown: Bool, isWatched: Bool,
        stranger: ContainerStranger?, after: ContainerToken?
    ) {
        // A file system may get another number at a restart.
        let former = isKnown ? Self.identity(2, device: 7) : Self.there
        var place = RootPlace(mark: known.map { ContainerMark($0, in: former) })
        let isOwn = place.judge(ContainerTokenFile(found), in: Self.here, isWatched: isWatched)
        // Nothing is taken by a look alone.
        #expect(place.mark == known.map { ContainerMark($0, in: former) })
        if isOwn { place.take() }
        #expect(isOwn == (stranger == nil) && place.stranger == stranger && place.mark?.token == after)
        #expect(place.mark?.directory == after.map { _ in isOwn ? Self.here : former })
        #expect(place.reason(ContainerMounts()) == stranger?.reason ?? SystemError.noEntry.description)
        // It is taken, and its mark counts from then on.
        place.accepts = true
        let isTaken = place.judge(ContainerTokenFile(found), in: Self.here, isWatched: false)
        place.take()
        #expect(isTaken && place.stranger == nil && !place.accepts)
        #expect(place.mark == found.token.map { ContainerMark($0, in: Self.here) })
    }

    /// Where directories have no lasting identities, the mark tells, and the watch. Copies are not told.
    @Test(
        arguments: [(.token(own), nil), (.token(other), .another), (.none, .unmarked), (.unreadable, .unreadable)]
            as [(ContainerMark.Finding, ContainerStranger?)])
    func theMarkAloneTellsWhereNothingElseLasts(found: ContainerMark.Finding, stranger: ContainerStranger?) {
        for directory in [nil, Self.here] {
            let mark = ContainerMark(Self.own, in: directory == nil ? Self.there : nil)
            var place = RootPlace(mark: mark)
            let isOwn = place.judge(ContainerTokenFile(found), in: directory, isWatched: false)
            #expect(isOwn == (stranger == nil) && place.stranger == stranger)
            place = RootPlace(mark: mark)
            let isStill = place.judge(ContainerTokenFile(found), in: directory, isWatched: true)
            place.take()
            #expect(isStill && place.mark == ContainerMark(found.token ?? Self.own, in: directory))
        }
    }

    @Test func aLookThatFailsForWantOfSomethingSaysNothingOfAStranger() {
        var place = RootPlace(mark: ContainerMark(Self.own, in: Self.there))
        let isOwn = place.judge(ContainerTokenFile(.none), in: Self.here, isWatched: false)
        var findings = place.beginLook()
        place.endLook(after: .noMemory, findings)
        #expect(!isOwn && place.stranger == .unmarked)
        findings = place.beginLook()
        place.endLook(after: .noEntry, findings)
        #expect(place.stranger == nil)
    }

    @Test func aMountPointCanBeTakenForItself() {
        var place = RootPlace(isMountPoint: true)
        place.accepts = true
        let isOwn = look(&place, isMountRoot: false)
        #expect(isOwn && !place.isUnmounted && place.isMountPoint)
        place.take()
        #expect(!place.isMountPoint && !place.accepts)
    }
}
