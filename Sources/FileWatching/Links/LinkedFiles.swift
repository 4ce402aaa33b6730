// Files with several names of which more is to be found out, or told.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

/// Files with several names about which something is under way. No event names more than one of the names.
struct LinkedFiles {
    /// Findings of the look-ups of this iteration.
    private(set) var news: [InodeNumber: LinkNews] = [:]
    /// Files that came up, of which not all names are known: one may be known with one link.
    private(set) var wanted: [InodeNumber: Origin] = [:]
    /// Such files that crawls came by, by container.
    private(set) var crawled: [UInt32: [InodeNumber: Origin]] = [:]
    /// Files whose names were looked for while directories were being read. Where they became too many they were forgotten, and
    /// every file of a result with an earlier ticket than this counts as one of them.
    private var sought: Set<InodeNumber> = []
    private var soughtTicket: UInt64 = 0
    /// Files, one of whose names was lost while there was more to hear.
    var unresolved: [InodeNumber: UnresolvedLink] = [:]

    var isEmpty: Bool { news.isEmpty && wanted.isEmpty && crawled.isEmpty && unresolved.isEmpty }

    /// All files about which something is under way; one may come up twice.
    var files: [InodeNumber] {
        Array(Set(news.keys).union(wanted.keys).union(unresolved.keys)) + crawled.values.flatMap(\.keys)
    }

    // MARK: News

    /// Changes the news of a file, or begins with the value of `new`.
    mutating func change(_ file: InodeNumber, new: @autoclosure () -> LinkNews, _ body: (inout LinkNews) -> Void) {
        var found = news.removeValue(forKey: file) ?? new()
        body(&found)
        news[file] = found
    }

    /// Takes the news of a file, or of any; nil if there is none.
    mutating func takeNews(of file: InodeNumber? = nil) -> LinkNews? {
        guard let file = file ?? news.first?.key else { return nil }
        return news.removeValue(forKey: file)
    }

    // MARK: Names to be found

    /// The names of a file are to be looked for. A barrier may wait for the earlier position.
    /// - Parameter container: the one whose crawl came by the file; nil where an event has named it.
    mutating func want(_ file: InodeNumber, _ origin: Origin, crawledIn container: UInt32? = nil) {
        var origin = origin
        let earlier = container.map { crawled[$0]?[file] } ?? wanted[file]
        origin.position = min(earlier?.position ?? .max, origin.position)
        if let container { crawled[container, default: [:]][file] = origin } else { wanted[file] = origin }
    }

    /// Whether there is something for ``takeWanted(forced:isReading:)``. While directories are being read there will be more, so that
    /// waits; but where a barrier waits for it (up to `forced`), it does not wait for directories of other containers.
    /// - Parameter isReading: whether directories of a container, or of any, are being read.
    func hasWanted(forced: UInt64, isReading: (UInt32?) -> Bool) -> Bool {
        guard isReading(nil) else { return !wanted.isEmpty || !crawled.isEmpty }
        return LinkedFiles.isForced(wanted, forced)
            || crawled.contains { !isReading($0) && LinkedFiles.isForced($1, forced) }
    }

    private static func isForced(_ links: [InodeNumber: Origin], _ forced: UInt64) -> Bool {
        links.values.contains { $0.position < forced }
    }

    /// Takes the files whose names are to be looked for now; see ``hasWanted(forced:isReading:)``.
    mutating func takeWanted(forced: UInt64, isReading: (UInt32?) -> Bool) -> [InodeNumber: Origin] {
        let isReadingAny = isReading(nil)
        var taken: [InodeNumber: Origin] = [:]
        if !isReadingAny || LinkedFiles.isForced(wanted, forced) { swap(&taken, &wanted) }
        for (number, links) in crawled
        where !isReadingAny || !isReading(number) && LinkedFiles.isForced(links, forced) {
            taken.merge(links) { $0.position < $1.position ? $0 : $1 }
            crawled[number] = nil
        }
        return taken
    }

    // MARK: Names that were looked for

    /// The names of these files are looked for while directories are being read. Remembers at most `limit` files; `ticket` makes the
    /// number that the next job would have.
    mutating func noteSought(_ files: some Collection<InodeNumber>, limit: Int, ticket: @autoclosure () -> UInt64) {
        if sought.count + files.count > limit {
            (sought, soughtTicket) = ([], ticket())
        } else {
            sought.formUnion(files)
        }
    }

    /// Whether the names of a file were looked for since a job with this ticket was asked for, as far as is known.
    func wasSought(_ file: InodeNumber, since ticket: UInt64) -> Bool {
        ticket < soughtTicket || (!sought.isEmpty && sought.contains(file))
    }

    /// Nothing is being read any more.
    mutating func forgetSought() { if !sought.isEmpty { sought = [] } }
}
