// Files with several names about which something is under way.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import Testing

@testable import FileWatching

@Suite struct LinkedFilesTests {
    private var files = LinkedFiles()
    private let file = InodeNumber(device: 1, inode: 2)
    private let other = InodeNumber(device: 1, inode: 3)

    @Test mutating func lookUpsHaveOneNewsForEachFile() {
        let status = PlayedKernel.status(2, .file, 1)
        func new() -> LinkNews { LinkNews(status: status, origin: Origin(position: 5)) }
        files.change(file, new: new()) { $0.searches = true }
        files.change(file, new: new()) { $0.lostName = true }
        #expect(files.news[file]?.searches == true && files.news[file]?.lostName == true)
        #expect(files.takeNews(of: other) == nil && files.takeNews()?.lostName == true && files.isEmpty)
    }

    @Test mutating func aBarrierKeepsTheEarlierPosition() {
        files.want(file, Origin(position: 9, task: 1))
        files.want(file, Origin(position: 12, task: 2))
        #expect(files.wanted[file]?.position == 9 && files.wanted[file]?.task == 2)
        files.want(file, Origin(position: 20, task: 3), crawledIn: 4)
        #expect(files.crawled[4]?[file]?.position == 20)
        #expect(files.files == [file, file])
    }

    @Test mutating func namesAreLookedForWhenNothingIsReadOrABarrierWaits() {
        files.want(file, Origin(position: 9))
        files.want(other, Origin(position: 9), crawledIn: 4)
        let idle = { (_: UInt32?) in false }
        let isReadingElsewhere = { (number: UInt32?) in number != 4 }
        let isReadingThere = { (number: UInt32?) in number == nil || number == 4 }
        #expect(files.hasWanted(forced: 0, isReading: idle))
        #expect(!files.hasWanted(forced: 9, isReading: isReadingElsewhere), "there will be more")
        #expect(files.hasWanted(forced: 10, isReading: isReadingElsewhere), "a barrier waits")
        var busy = files
        #expect(Set(busy.takeWanted(forced: 10, isReading: isReadingThere).keys) == [file], "its crawl goes on")
        #expect(Set(busy.takeWanted(forced: 10, isReading: isReadingElsewhere).keys) == [other])
        #expect(busy.isEmpty)
        #expect(Set(files.takeWanted(forced: 0, isReading: idle).keys) == [file, other])
    }

    @Test mutating func forgottenFilesCountAsLookedFor() {
        files.noteSought([file], limit: 2, ticket: 5)
        #expect(files.wasSought(file, since: 0) && !files.wasSought(other, since: 0))
        files.noteSought([other, InodeNumber(device: 1, inode: 4)], limit: 2, ticket: 6)
        #expect(files.wasSought(other, since: 5) && !files.wasSought(file, since: 6))
        files.noteSought([file], limit: 2, ticket: 7)
        files.forgetSought()
        #expect(!files.wasSought(file, since: 6))
    }
}
