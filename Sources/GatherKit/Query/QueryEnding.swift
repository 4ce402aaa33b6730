// The ends of a live query.
// SPDX-License-Identifier: Apache-2.0

/// The end of the sequence of notifications.
enum QueryEnding {
    case stopped
    case failed(GatherError)
}
