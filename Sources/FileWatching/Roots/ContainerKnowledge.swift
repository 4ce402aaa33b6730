// How far the tree has the entries of a container.
// SPDX-License-Identifier: Apache-2.0

/// How far the tree has the entries of a container, from being known of before to being read.
struct ContainerKnowledge {
    /// The tree has entries of it that were known before its directory was found, and they are not being verified yet.
    private(set) var isOld = false
    /// Those entries have left the tree, to come back when the directory does.
    private(set) var isDetached = false
    /// The crawl that reads it for the first time.
    private(set) var firstCrawl: UInt32?
    /// Whether it was read as a whole since it was found.
    private(set) var wasRead = false
    /// Whether it has gone on with the watches of another process.
    private(set) var isResumed = false

    /// - Parameter isOld: Whether the tree has entries of it from before.
    init(isOld: Bool = false) { self.isOld = isOld }

    /// Whether it was read, and no crawl reads it for the first time.
    var isWhole: Bool { wasRead && firstCrawl == nil }

    /// Nothing of it can be read any more. It is known, and will be verified.
    mutating func lose() { (isOld, firstCrawl, wasRead, isResumed) = (true, nil, false, false) }

    /// Returns whether its entries are to leave the tree, and notes that they have.
    mutating func detachAll() -> Bool {
        guard isOld, !isDetached else { return false }
        isDetached = true
        return true
    }

    /// The entries are back in the tree, if there were any.
    mutating func comeBack(isOld: Bool) { (isDetached, self.isOld) = (false, isOld) }

    /// The known entries are being verified.
    mutating func verify() { (isOld, wasRead) = (false, true) }

    /// The known entries are right: events have reported all changes since.
    mutating func resume() { (isOld, wasRead, isResumed) = (false, true, true) }

    /// A crawl reads it for the first time.
    mutating func beginFirstCrawl(_ task: UInt32) { firstCrawl = task }

    /// A crawl has ended.
    mutating func endCrawl(_ task: UInt32) {
        if firstCrawl == task { firstCrawl = nil }
    }

    /// It was read as a whole.
    mutating func noteRead() { wasRead = true }
}
