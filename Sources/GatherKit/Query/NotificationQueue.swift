// The unread notifications of one reader.
// SPDX-License-Identifier: Apache-2.0

/// The notifications that wait for a reader. Each kind waits at most once, and changes are merged. So a reader that
/// never reads costs no more than the changed items.
struct NotificationQueue {
    private enum ConnectionNews {
        case none
        case lost(GatherError)
        case lostAndBack(GatherError, resumed: Bool)
        case back(resumed: Bool)
    }

    private var started: (resumed: Bool, Void)?
    private var progress = PendingDelta()
    private var gathered = false
    /// Whether `gathered` comes after the notifications about the connection.
    private var gatheredAfterNews = false
    private var news = ConnectionNews.none
    private var update = PendingDelta()

    /// Starts with an empty result set. Earlier notifications are dropped.
    mutating func start(resumed: Bool) {
        self = NotificationQueue()
        started = (resumed, ())
    }

    mutating func addProgress(_ delta: QueryChanges) { progress.merge(delta) }

    mutating func finishGathering() {
        gathered = true
        if case .none = news { gatheredAfterNews = false } else { gatheredAfterNews = true }
    }

    mutating func addUpdate(_ delta: QueryChanges) { update.merge(delta) }

    mutating func loseConnection(_ error: GatherError) {
        switch news {
        case .none: news = .lost(error)
        case .lost, .lostAndBack: news = .lost(error)
        case .back:
            // The connection came back and was lost again, unread. For the reader it was lost all the time.
            news = .none
        }
    }

    mutating func regainConnection(resumed: Bool) {
        switch news {
        case .lost(let error): news = .lostAndBack(error, resumed: resumed)
        case .lostAndBack(let error, _): news = .lostAndBack(error, resumed: resumed)
        case .none, .back: news = .back(resumed: resumed)
        }
    }

    /// Takes the next notification.
    mutating func popFirst() -> QueryNotification? {
        if let (resumed, _) = started {
            started = nil
            return .started(resumed: resumed)
        }
        if !progress.isEmpty { return .progress(progress.take()) }
        if gathered, !gatheredAfterNews {
            gathered = false
            return .gathered
        }
        switch news {
        case .lost(let error):
            // Changes before the loss of the connection come first.
            if !update.isEmpty { return .updated(update.take()) }
            news = .none
            return .reconnecting(error)
        case .lostAndBack(let error, let resumed):
            news = .back(resumed: resumed)
            return .reconnecting(error)
        case .back(let resumed):
            news = .none
            return .reconnected(resumed: resumed)
        case .none: break
        }
        if gathered {
            gathered = false
            return .gathered
        }
        if !update.isEmpty { return .updated(update.take()) }
        return nil
    }
}
