// Changes by the time of day alone: items leave, and nothing on disk tells of that.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

extension Run {
    /// Has those who follow the time of day told all that it brings up to a moment, which may be one to come.
    func awaitTime(_ moment: Int, _ walk: [Entry]) throws {
        for subscriber in subscribers where !subscriber.isSlow {
            let patience = Patience()
            while let told = subscriber.set.moment,
                subscriber.set.question.changes(walk, after: told, upTo: moment)
            {
                if patience.isOver {
                    let difference = subscriber.set.difference(from: walk) ?? "it is \(told), and is to be \(moment)"
                    throw Violation(
                        "the subscriber of '\(subscriber.set.question.name)' has not heard for \(Patience.seconds) s whose "
                            + "time is over: \(difference)")
                }
                // Changes that wait for the batch time are told when they are flushed, all others by themselves.
                if subscriber.isPatient { try subscriber.settle(flush()) } else { try subscriber.next() }
            }
        }
    }

    /// Waits for those who leave soon, while nothing else happens.
    func outlast() throws {
        let walk = walk()
        try awaitTime(TimeOfDay.now + Churner.soon, walk)
        try compareSets(walk)
    }
}
