// io.gatherd.Query.Event as it travels.
// SPDX-License-Identifier: Apache-2.0

/// The kind of a live query's reply.
package enum WatchEvent: String, OpenEnumeration {
    /// The query was accepted.
    case started
    /// A batch of the first results, in `added`.
    case progress
    /// The first phase is over.
    case gathered
    /// The result set changed.
    case updated
    /// It did not, for as long as `heartbeat` says.
    case alive
    /// A value that is not known here.
    case other
}
