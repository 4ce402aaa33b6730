// The limits of the daemon. A caller that exceeds one gets an error that names it.
// SPDX-License-Identifier: Apache-2.0

package import LiveQueries
package import NIOCore

/// The limits of the daemon. The limits of the framing are in `Varlink`, those of both ends in `GatherProtocol`, and
/// those of the language in `PredicateLanguage`.
package enum Limits {
    /// Connections. There are fewer if the process may not open that many descriptors and ``otherDescriptors``. A
    /// connection has one question at a time, so this limits waiting questions, too.
    package static let connections = 16_384
    /// Descriptors reserved for files, directories and inotify.
    package static let otherDescriptors = 512
    /// States of items in one reply to a helper.
    package static let reportedStates = 1_000
    /// Connections of one user of the system's daemon. Root may use all.
    package static let connectionsPerUser = 4_096
    /// Live queries of all users.
    package static let liveQueries = 16_384
    /// Live queries of one user. Root and the daemon's own user may use all.
    package static let liveQueriesPerUser = 4_096
    /// Bytes of the predicates of one user's live queries, and six times the bytes of their scopes, for each container
    /// that they search. A list of ten thousand names has 109 KB, and takes 1.8 MB while it is live. This allows 16,000
    /// predicates of a hundred bytes in ten containers.
    package static let predicateBytesPerUser = 16 << 20
    /// Changes that one subscriber has not taken, in memory and in the change log: twice a container of a million.
    /// Beyond it, the live query ends with LimitExceeded. With its last clock, the subscriber gets the difference.
    package static let pendingItems = 2_097_152
    /// Changes of one live query that are held for its batch time. With more, they are sent at once: a long batch time
    /// would otherwise have changes merged for a subscriber that may never read.
    package static let itemsHeldForBatch = 1_024
    /// Changes not taken at which the log reports a slow subscriber.
    package static let pendingItemsReported = 131_072
    /// Bytes of pending items of one user's live queries, far below the unit's `MemoryHigh=`. Beyond it, the user's
    /// live query with most of them ends with LimitExceeded. Subscribers that do not read rarely reach it: a live query
    /// is suspended at ``LiveQueryRegistry/pendingBeforeSuspension`` items, and gets the rest from the change log
    /// later.
    package static let pendingBytesPerUser = 256 << 20
    /// Bytes of pending items of all live queries. Beyond it, the largest live query of the user with most of them
    /// ends.
    package static let pendingBytesInAll = 384 << 20
    /// Background updates of live queries at once, of all users and of one user. Users take turns.
    package static let updatesAtOnce = 4
    package static let updatesPerUser = 2
    /// Answers that are being made, or wait to be read. Further questions wait.
    package static let answers = 512
    /// Answers of one user that are being made, or wait to be read.
    package static let answersPerUser = 64
    /// The time from the first reply of an answer to its last. The answer keeps its rows for so long.
    package static let answerTime = TimeAmount.minutes(5)
    /// Bytes that the unread answers of one user keep. A million sorted items take 16 MB. Beyond it, the oldest answer
    /// ends.
    package static let answerBytesPerUser = 128 << 20
    /// Bytes that the unread answers of all users keep.
    package static let answerBytesInAll = 512 << 20
    /// The delay of the check of kept watches after a restart. It takes 0.1 s of a processor for 50,000 watches, and
    /// the first callers come before.
    package static let watchesCheckedAfter = TimeAmount.seconds(1)
    /// Attempts of that check if the kernel does not list the watches. The delay doubles each time.
    package static let watchChecks = 6
    /// The delay after which unused access lists are released, when enough new ones have come. A pass over a million
    /// rows takes 4 ms, one container at a time.
    package static let accessListsSweptAfter = TimeAmount.milliseconds(100)
    /// Items of one container whose access lists are read again at once when there is room for them.
    package static let accessListsReadAgain = 1_024
    /// The interval at which items without their access list are looked for, and whether there is room for the lists
    /// now.
    package static let accessListsLookedForAfter = TimeAmount.seconds(10)
    /// Scans and similar work on other threads at once, of all users and of one user. Users take turns, so that another
    /// user finds a thread even if one user has a thousand questions.
    package static let scansAtOnce = 4
    package static let scansPerUser = 2
    /// Questions at once that may look up account names, one of each user.
    package static let namingAtOnce = 2
    /// Extended attributes in the predicate and the requested attributes of one question.
    package static let extendedAttributes = 64
    /// The time that a question waits for its turn.
    package static let turnTime = TimeAmount.seconds(30)
    /// The time of a scan with costly tests, such as regular expressions. One such scan runs at a time, and users take
    /// turns.
    package static let scanTime = TimeAmount.seconds(10)
    /// Bytes of a predicate that is parsed on the event loop. A longer one may take a tenth of a second.
    package static let predicateBytesOnLoop = 4_096
    /// Bytes of predicate that cost as much to plan as one comparison with a content type. It is tested on each of a
    /// thousand types, which takes 0.4 to 2 ms. Three such comparisons are planned on the event loop.
    package static let planningBytesOfType = 1_024
    /// Bytes of the predicate of a live query whose next change with the clock is unknown. It is compiled again every
    /// few seconds, and the former plan is freed on the event loop.
    package static let predicateBytesAskedAgain = 4_096
    /// The event-loop time for costly tests of one user's live queries. A test of up to 5 µs is free, which regular
    /// expressions rarely exceed. Longer ones have 10 ms at once and 0.5 % of the time, too little to show in the 99th
    /// percentile.
    ///
    /// A live query without allowance ends with EvaluationFailed. One that was always quick ends only when others have
    /// used twice the allowance.
    package static let costlyTests = WorkMeter.Allowance(
        free: 5_000, most: 1_000_000, capacity: 10_000_000, perSecond: 5_000_000)
    /// Sort keys of an answer.
    package static let sortKeys = 16
    /// Bytes of the sort keys of all items of one answer. A million paths take about 200 MB.
    package static let sortKeyBytes = 512 << 20
    /// Distinct values that one `Values` counts. Beyond it, the answer is LimitExceeded, whatever its `limit` is.
    package static let distinctValues = 262_144
    /// Bytes of the distinct texts of one `Values`.
    package static let distinctValueBytes = 32 << 20
    /// Items in one reply of several, so that a large answer does not pile up.
    package static let itemsPerReply = 2_048
    /// Bytes of one reply after which no further item is added.
    package static let replyBytes = 256 * 1024
    /// Live queries that one `Metrics` lists one by one.
    package static let liveQueriesMeasured = 256
    /// The nanoseconds in which the load of a live query halves that is told nothing.
    package static let loadHalfTime: UInt64 = 8_000_000_000
    /// Scopes of one query.
    package static let scopes = 256
    /// Bytes of all scopes of one query. Each directory above one takes about 200 bytes while the query lasts.
    package static let scopeBytes = 64 * 1024
    /// Time zones that are kept in memory. Callers name them, and there are about 600.
    package static let timeZones = 64
    /// The longest `timeout`, `batch` and `heartbeat` in milliseconds, a day.
    package static let longestWait = 86_400_000
    /// The shortest `heartbeat` in milliseconds. A shorter one is raised to it.
    package static let shortestHeartbeat: Int64 = 10
    /// Heartbeats of all live queries of one user in a second. With more queries, they come less often.
    package static let heartbeatsPerSecond: Int64 = 10_000
    /// Rows of a scan on the event loop. With fewer, the change of threads costs more than the scan.
    package static let rowsScannedOnLoop = 16_384
    /// Bytes of extended attributes and link targets of one container. Equal values count once. A value beyond it
    /// counts as unknown, and `gather status` reports it.
    package static let extraBytes = 256 << 20
    /// Bytes of extended attributes that cost a scan as much as one row.
    package static let extraBytesForARow = 256
    /// The time after which a changed time of day is noticed without a timer of the kernel, if live queries follow it.
    package static let clockInterval = TimeAmount.seconds(10)
    /// Items whose moments are within this time leave together.
    package static let clockGrain = TimeAmount.milliseconds(1)
    /// Callers of `Container.Monitor` that are notified at once, and the bytes of their replies. A pause follows, so
    /// that four thousand callers take a third of a second without a delay for others.
    package static let monitorsNotifiedAtOnce = 3
    package static let monitorBytesNotifiedAtOnce = 64 * 1024
    /// The pause between two such groups. After a shorter one, the loop may not have polled its descriptors.
    package static let monitorPause = TimeAmount.microseconds(200)
    /// Unreadable directories of one container that its description names.
    package static let unreadablePathsReported = 5
    /// Containers below a directory that the error of an unknown scope names.
    package static let containersReported = 8
    /// The fewest descriptors that gatherd starts with. It holds about 16, and each of its four threads that read
    /// directories holds some.
    package static let leastDescriptors = 32
    /// Containers of the daemon.
    package static let containers = 1_024
    /// Bytes of one configuration file.
    package static let configurationBytes = 1024 * 1024
    /// Bytes of a container's path and lists together. They must fit into the description saved with its index
    /// (``SnapshotDescription``).
    package static let containerBytes = 64 * 1024
    /// Bytes of a container identifier.
    package static let identifierBytes = 255
}
