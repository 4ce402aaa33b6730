// Whether the directory of a container is there: the findings of looks at it, and the reason of its state.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
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
        var wasEnclosed = place.beginLook()
        place.endLook(after: .tooManyDescriptors, wasEnclosed)
        #expect(place.isEnclosed)
        wasEnclosed = place.beginLook()
        place.endLook(after: .noEntry, wasEnclosed)
        #expect(wasEnclosed && !place.isEnclosed)
    }
}
