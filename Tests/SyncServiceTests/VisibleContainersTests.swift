// The containers that a caller of the helper may know of.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Testing

@testable import SyncService

struct VisibleContainersTests {
    private static let containers = [
        container("open", "/srv/open"), container("closed", "/srv/closed"), container("inner", "/srv/open/inner"),
        container("within", "/srv/closed/within"),
    ]
    private static let visible = VisibleContainers(containers, readable: ["open", "within", "gone"])

    private static func container(_ identifier: String, _ path: String) -> ContainerDescription {
        ContainerDescription(
            identifier: identifier, path: path, state: .live, origin: "runtime", items: 0, directories: 1, watches: 1,
            polled: 0, unreadable: 0, packages: [], ignore: [], clock: "", sync: "syncthing")
    }

    private static func offer(_ folder: String, _ container: String) -> FolderOffer {
        FolderOffer(device: "D", folder: folder, container: container)
    }

    @Test func containersThatTheCallerMayNotListAreLeftOut() {
        #expect(Self.visible.containers.map(\.identifier) == ["open", "within"])
        #expect(!Self.visible.namesItems)
    }

    @Test func aFolderBelongsToTheInnermostContainer() {
        for path in ["/srv/open", "/srv/open/Documents", "/srv/closed/within", "/srv/closed/within/Documents"] {
            #expect(Self.visible.shows(folderAt: path), "\(path)")
        }
        for path in ["/srv/closed", "/srv/closed/Documents", "/srv/open/inner", "/srv/open/inner/x", "/srv/other", "/"]
        {
            #expect(!Self.visible.shows(folderAt: path), "\(path)")
        }
    }

    @Test func offersOfHiddenNamesAreLeftOut() {
        for (folder, container) in [("gather-open", "open"), ("gather-new", "new"), ("abcd-efgh", "Photos")] {
            #expect(Self.visible.shows(Self.offer(folder, container)), "\(folder)")
        }
        for (folder, container) in [
            ("gather-closed", "closed"), ("gather-closed-documents", "closed documents"), ("gather-closed", "label"),
            ("abcd-efgh", "inner"),
        ] {
            #expect(!Self.visible.shows(Self.offer(folder, container)), "\(folder)")
        }
    }

    /// Without gatherd it is not known what to hide.
    @Test func withoutAnAnswerNothingIsShown() {
        for visible in [
            VisibleContainers(Self.containers, readable: nil), VisibleContainers(nil, readable: ["open"]),
        ] {
            #expect(visible.containers.isEmpty)
            #expect(!visible.shows(folderAt: "/srv/open"))
            #expect(!visible.shows(Self.offer("gather-new", "new")))
        }
    }

    @Test func operatorsSeeEverything() {
        let visible = VisibleContainers(all: Self.containers)
        #expect(visible.containers == Self.containers)
        #expect(visible.namesItems)
        #expect(Self.containers.allSatisfy { visible.shows(folderAt: $0.path) })
        #expect(visible.shows(Self.offer("gather-closed", "closed")))
    }
}
