// Why a process does not go on with the handover of the one before it.
// SPDX-License-Identifier: Apache-2.0

/// The reasons why no container can go on with the handed-over watches. Each is then compared with the file system.
package enum HandoverObstacle: Error, Sendable, Hashable, CustomStringConvertible {
    /// The memory is of another version, is damaged, or has no inotify instance with it.
    case unusable
    /// The journal is of another daemon than the memory, or has a gap.
    case otherJournal
    /// The daemon's user, groups, capabilities or settings are others, or the length of the kernel's queue is.
    case otherCircumstances
    /// Events were lost: the ring was full.
    case lostEvents
    /// The memory knows nothing of the moment with which the journal ends.
    case otherMoment
    /// More was going on than there is room for.
    case tooMuchPendingWork
    /// The former mounts are not known.
    case unknownMounts
    /// Two directories are said to have one watch.
    case sharedWatch

    package var description: String {
        switch self {
        case .unusable: "their description is damaged, or was written by another version"
        case .otherJournal: "the journal belongs to another process"
        case .otherCircumstances: "the user, the groups, the capabilities, a setting or max_queued_events have changed"
        case .lostEvents: "events were lost"
        case .otherMoment: "the journal does not end where their description does"
        case .tooMuchPendingWork: "too many changes were in progress"
        case .unknownMounts: "the mounts of the previous process are not known"
        case .sharedWatch: "two directories are recorded with the same watch"
        }
    }
}

/// The reasons why one container cannot go on with its watches. It is compared with the file system.
package enum ContainerObstacle: Error, Sendable, Hashable, CustomStringConvertible {
    /// Nothing was left of it.
    case unknown
    /// It was being read or compared, or was not there.
    case unsettled(String)
    /// Its directory is another, or is mounted or asked for otherwise.
    case other
    /// Its own directory was being read.
    case rootUnread

    package var description: String {
        switch self {
        case .unknown: "its watches were not handed over"
        case .unsettled(let what): "it \(what) when the previous process ended"
        case .other: "its directory or its settings have changed"
        case .rootUnread: "its directory was being read when the previous process ended"
        }
    }
}
