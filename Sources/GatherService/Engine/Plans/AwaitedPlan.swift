// A live query that waits for a plan.
// SPDX-License-Identifier: Apache-2.0

import LiveQueries

/// A live query that waits for a plan.
struct AwaitedPlan {
    let subscription: Subscription
    let query: LiveQuery
    let record: ContainerRecord
}
