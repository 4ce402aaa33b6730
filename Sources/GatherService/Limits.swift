// Every limit of the daemon, in one place: past one, that caller gets a clear error and nobody else notices.
// SPDX-License-Identifier: Apache-2.0

package import LiveQueries
package import NIOCore

/// The limits of the daemon. Those of the protocol's framing are in `Varlink`, those that both ends share in
/// `GatherProtocol`, those of the language in `PredicateLanguage`.
package enum Limits {
    /// Connections in all; fewer where the process may not have so many descriptors and ``otherDescriptors`` beside.
    /// A connection has one question at a time, so no more wait for an answer either.
    package static let connections = 16_384
    /// Descriptors kept for files, directories and inotify.
    package static let otherDescriptors = 512
    /// Connections of one user of the system's daemon; root may use them all.
    package static let connectionsPerUser = 4_096
    /// Live queries in all.
    package static let liveQueries = 16_384
    /// Live queries of one user; root and the daemon's own user may use them all.
    package static let liveQueriesPerUser = 4_096
    /// Bytes of the predicates of one user's live queries, for each container that they look at, and six times those of their
    /// scopes: a list of ten thousand names is 109 KB, and takes 1.8 MB while it is live. Of a hundred bytes in ten containers
    /// there may be 16,000.
    package static let predicateBytesPerUser = 16 << 20
    /// Changes that one subscriber has not taken, an item each: twice a container of a million. Past it the query ends with
    /// LimitExceeded, and whoever asked comes back with the last clock for the difference.
    package static let pendingItems = 2_097_152
    /// With so many the log tells of a subscriber that is slow.
    package static let pendingItemsTold = 131_072
    /// The same as ``pendingItems`` over all subscribers; past it the one with most of them ends so.
    package static let pendingItemsInAll = 4_194_304
    /// Answers that are being made, or wait to be taken; others wait for their turn.
    package static let answers = 512
    /// Answers of one user.
    package static let answersPerUser = 64
    /// How long the answer of one question may take to be taken, from its first reply to its last: until then it keeps the
    /// rows that it tells of, as they were.
    package static let answerTime = TimeAmount.minutes(5)
    /// Bytes that the answers of one user keep while they are taken: a million sorted items are 16 MB. Past it the one that
    /// was made first ends.
    package static let answerBytesPerUser = 128 << 20
    /// The same over all users.
    package static let answerBytesInAll = 512 << 20
    /// After a start that goes on with the watches of the daemon before it, the kernel is asked for them so much later: that takes
    /// 0.1 s of a processor for 50,000, which those have who ask something at once.
    package static let watchesCheckedAfter = TimeAmount.seconds(1)
    /// How often it is asked where it does not tell, each time after twice as long.
    package static let watchChecks = 6
    /// Where so many access control lists came that it is time to let go of some, it is looked so much later which items still
    /// have: at all rows, which takes 4 ms for a million, one container at a time.
    package static let accessListsSweptAfter = TimeAmount.milliseconds(100)
    /// Items whose list could not be kept, of one container, that are looked at again at a time when there is room.
    package static let accessListsReadAgain = 1_024
    /// Where access control lists of items could not be kept, it is looked so much later whether there still are such items,
    /// and whether there is room for their lists now.
    package static let accessListsLookedForAfter = TimeAmount.seconds(10)
    /// Scans, censuses and the like at once, in all and for one user: users take turns on these threads, and one who comes
    /// while another has a thousand to do finds a thread.
    package static let scansAtOnce = 4
    package static let scansPerUser = 2
    /// Questions at once that may ask for names of accounts; one of each user.
    package static let namingAtOnce = 2
    /// Extended attributes that one question may name, in its predicate and as what it asks for.
    package static let extendedAttributes = 64
    /// How long a question waits for its turn.
    package static let turnTime = TimeAmount.seconds(30)
    /// How long a scan with costly tests, such as regular expressions, may take. One runs at a time, users take turns.
    package static let scanTime = TimeAmount.seconds(10)
    /// Bytes of a predicate that is understood on the event loop: a longer one may take a tenth of a second.
    package static let predicateBytesOnLoop = 4_096
    /// A comparison of a content type is asked about each of a thousand types, which takes 0.4 ms, or 2 ms for what is a kind of
    /// what: as to plan so many bytes of anything else, or more. Three of them are planned on the loop.
    package static let planningBytesOfType = 1_024
    /// Bytes of the predicate of a live query of which nobody knows when its answer changes with the clock: it is compiled anew
    /// every few seconds, and what was compiled before is let go of on the event loop.
    package static let predicateBytesAskedAgain = 4_096
    /// What costly tests of the live queries of one user may take of the event loop: a test of up to 5 µs is free, which a
    /// regular expression that behaves is never past; of more, 10 ms at once and a two-hundredth of the time, which is less
    /// than shows in one change of a hundred. A live query that finds nothing left ends with EvaluationFailed; one that was
    /// always quick only where others took it all twice.
    package static let costlyTests = WorkMeter.Allowance(
        free: 5_000, most: 1_000_000, capacity: 10_000_000, perSecond: 5_000_000)
    /// Attributes that an answer is sorted by.
    package static let sortKeys = 16
    /// Bytes of what the items of one answer are sorted by, while they are: a million paths take some 200 MB.
    package static let sortKeyBytes = 512 << 20
    /// Distinct values that one `Values` counts: past it the answer is LimitExceeded, whatever its `limit`.
    package static let distinctValues = 262_144
    /// Bytes of distinct texts that it keeps.
    package static let distinctValueBytes = 32 << 20
    /// Items in one reply that carries more of them to come, so that a big answer flows instead of piling up.
    package static let itemsPerReply = 2_048
    /// Bytes of one reply after which no further item is added to it.
    package static let replyBytes = 256 * 1024
    /// Live queries that one `Metrics` tells of one by one.
    package static let liveQueriesMeasured = 256
    /// Scopes that one query may name.
    package static let scopes = 256
    /// Bytes of all of them. Each directory on the way to one takes some 200 bytes as long as the question lasts.
    package static let scopeBytes = 64 * 1024
    /// The longest `timeout`, `batch` and `heartbeat`, in milliseconds: a day.
    package static let longestWait = 86_400_000
    /// The shortest `heartbeat`, in milliseconds: a shorter one is taken as this.
    package static let shortestHeartbeat: Int64 = 10
    /// Heartbeats a second of all live queries of one user: those of many come less often.
    package static let heartbeatsPerSecond: Int64 = 10_000
    /// Rows of a scan that are worth leaving the event loop for: below, the hop costs more than the scan.
    package static let rowsScannedOnLoop = 16_384
    /// Bytes of extended attributes, and of where links lead, that one container keeps, each that several items have once: what
    /// would not fit counts as unknown, and `gather status` says so.
    package static let extraBytes = 256 << 20
    /// So many bytes of extended attributes are worth a row to a scan that reads them.
    package static let extraBytesForARow = 256
    /// How long a clock that was set may go unnoticed where live queries follow it; nobody wakes where none does.
    package static let clockInterval = TimeAmount.seconds(10)
    /// Items whose time is over within so much of each other leave together.
    package static let clockGrain = TimeAmount.milliseconds(1)
    /// Callers of `Container.Monitor` who are told of a change of state at once, and the bytes of their replies: the next ones
    /// are after a pause, so that four thousand take a third of a second in which nobody else waits for more than some system calls.
    package static let monitorsToldAtOnce = 3
    package static let monitorBytesToldAtOnce = 64 * 1024
    /// That pause. A shorter one may be over before the loop has looked at its descriptors.
    package static let monitorPause = TimeAmount.microseconds(200)
    /// Containers that the daemon watches.
    package static let containers = 1_024
    /// Bytes of one configuration file.
    package static let configurationBytes = 1024 * 1024
    /// Bytes of a container's path and lists together. They are saved with its index (``SavedDescription``), which has room for
    /// that.
    package static let containerBytes = 64 * 1024
    /// Bytes of a container identifier.
    package static let identifierBytes = 255
}
