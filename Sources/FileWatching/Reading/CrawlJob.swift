// Jobs from the loop for the crawling threads, and their results.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

/// How the entries of a container are read.
struct CrawlOptions: Sendable {
    var ignored: IgnoredNames
    var readsXattrs: Bool
}

/// A directory to watch and read.
struct CrawlJob: Sendable {
    /// Names the job in its result. The tickets of the directories that a job descends into follow one another.
    var ticket: UInt64
    /// The crawl or comparison that it is part of.
    var task: UInt32
    /// The container's own directory, open.
    var root: OpenDirectory
    /// The way from there, ended by a NUL; nothing before it for the root.
    var path: [UInt8]
    /// The directory that must be found there.
    var device: UInt64
    var inode: UInt64
    var options: CrawlOptions
    /// Whether the directories found in it are read too, without asking.
    var descends: Bool
    /// Whether its cost is measured.
    var isMeasured = false
    /// Whether it has its watch already, so that asking for it again takes none.
    var hasWatch = false
}

/// The result of a job.
struct CrawlResult: Sendable {
    var ticket: UInt64
    var task: UInt32
    /// The round, and the epoch of changes to hard links, when the reading began.
    var round: UInt32
    var linkEpoch: UInt32 = 0
    /// Whether extended attributes were read.
    var hasXattrs = false
    /// The directory's watch, or -1.
    var watch: Int32 = -1
    /// Nanoseconds of processor time, where they were asked for.
    var cost: UInt64 = 0
    var watchError: SystemError?
    /// Whether the watch is counted twice, since it may have been there already.
    var hasReservation = false
    /// Why it could not be read. `.stale`: another directory was found in its place.
    var error: SystemError?
    /// An entry of it that could not be looked at for want of permission.
    var entryError: SystemError?
    /// Why the extended attributes of an entry are not known, of the last of such entries.
    var xattrError: SystemError?
    /// The directory itself, asked for after the watch was there.
    var status: FileStatus?
    /// Keeps the access lists that it names, and those of the batch.
    let lists = AccessLists.lease()
    var batch = DirectoryBatch()
    /// The ticket of the first directory that is descended into, and how many there are: the directories of the batch,
    /// in order, without those on which something is mounted.
    var firstChild: UInt64 = 0
    var childCount = 0
}
