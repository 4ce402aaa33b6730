// One reply of the daemon to a live query.
// SPDX-License-Identifier: Apache-2.0

internal import GatherProtocol
internal import Varlink

/// One reply to `io.gatherd.Query.Watch`.
struct QueryReply: Sendable {
    enum Event: Sendable {
        case started
        case progress
        case gathered
        case updated
        /// An event without effect, also one that this version does not know.
        case alive
    }

    var event: Event
    var fresh = false
    var changes = QueryChanges()
    var inexact: [ContainerIdentifier] = []
    var clock: DaemonClock?
}

extension QueryReply {
    init(_ reply: QueryInterface.Watch.Reply) {
        event =
            switch reply.event {
            case .started: .started
            case .progress: .progress
            case .gathered: .gathered
            case .updated: .updated
            case .alive, .other: .alive
            }
        fresh = reply.fresh ?? false
        changes = QueryChanges(
            added: (reply.added ?? []).map { MetadataItem($0) },
            changed: (reply.changed ?? []).map { MetadataItem($0, previousPathBytes: $0.previousPathBytes) },
            removed: (reply.removed ?? []).map { removal in
                RemovedItem(id: MetadataItem.ID(rawValue: removal.id), pathBytes: removal.pathBytes)
            })
        inexact = [ContainerIdentifier](inexact: reply.inexact)
        clock = reply.clock.map { DaemonClock(rawValue: $0) }
    }
}
