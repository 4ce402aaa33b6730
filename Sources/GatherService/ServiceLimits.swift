// The limits that tests lower.
// SPDX-License-Identifier: Apache-2.0

internal import GatherProtocol
package import LiveQueries
import MetadataIndex
package import NIOCore
internal import Varlink

/// The limits of the daemon that a test lowers, since they take many callers to reach. ``Limits`` explains each.
package struct ServiceLimits: Sendable {
    package var containers = Limits.containers
    package var connections = Limits.connections
    package var connectionsPerUser = Limits.connectionsPerUser
    package var liveQueries = Limits.liveQueries
    package var liveQueriesPerUser = Limits.liveQueriesPerUser
    package var predicateBytesPerUser = Limits.predicateBytesPerUser
    package var pendingItems = Limits.pendingItems
    package var pendingItemsReported = Limits.pendingItemsReported
    package var pendingBytesPerUser = Limits.pendingBytesPerUser
    package var pendingBytesInAll = Limits.pendingBytesInAll
    package var pendingItemsBeforeSuspension = LiveQueryRegistry.pendingBeforeSuspension
    package var updatesAtOnce = Limits.updatesAtOnce
    package var updatesPerUser = Limits.updatesPerUser
    package var answers = Limits.answers
    package var answersPerUser = Limits.answersPerUser
    package var answerTime = Limits.answerTime
    package var answerBytesPerUser = Limits.answerBytesPerUser
    package var answerBytesInAll = Limits.answerBytesInAll
    package var liveQueriesMeasured = Limits.liveQueriesMeasured
    package var loadHalfTime = Limits.loadHalfTime
    package var sortKeyBytes = Limits.sortKeyBytes
    package var distinctValues = Limits.distinctValues
    package var distinctValueBytes = Limits.distinctValueBytes
    package var scansAtOnce = Limits.scansAtOnce
    package var scansPerUser = Limits.scansPerUser
    package var namingAtOnce = Limits.namingAtOnce
    package var rowsScannedOnLoop = Limits.rowsScannedOnLoop
    package var extraBytes = Limits.extraBytes
    package var turnTime = Limits.turnTime
    package var requestTime = VarlinkLimits.requestTime
    /// The longest wait of a question for containers that are being read, in milliseconds, without another `timeout`.
    package var syncTime = ProtocolLimits.defaultTimeout
    package var scanTime = Limits.scanTime
    package var predicateBytesOnLoop = Limits.predicateBytesOnLoop
    package var predicateBytesAskedAgain = Limits.predicateBytesAskedAgain
    package var clockInterval = Limits.clockInterval
    package var costlyTests = Limits.costlyTests
    package var watchesCheckedAfter = Limits.watchesCheckedAfter
    package var accessListsSweptAfter = Limits.accessListsSweptAfter
    package var accessListsReadAgain = Limits.accessListsReadAgain
    package var accessListsLookedForAfter = Limits.accessListsLookedForAfter
    package var journalBytes = PersistenceLimits.journalBytes
    package var segmentBytes = PersistenceLimits.segmentBytes
    package var largestJournal = PersistenceLimits.largestJournal
    package var largestSet = PersistenceLimits.largestSet
    package var largestRecord = JournalEncoder.largestRecord
    package var saveAgainAfter = PersistenceLimits.retryAfter

    /// Makes the limits of ``Limits``.
    package init() {}
}
