// The limits of the exchange with Syncthing.
// SPDX-License-Identifier: Apache-2.0

package import NIOCore

/// The limits of the exchange with Syncthing. Its answers are input from outside.
package enum SyncthingLimits {
    /// The longest configuration file, in bytes.
    package static let configurationBytes = 16 << 20
    /// The deepest nesting of elements in the configuration file.
    package static let configurationDepth = 64
    /// The longest answer, in bytes. `browse` of a million files has 200 MB.
    package static let answerBytes = 512 << 20
    /// The longest text of an error that is kept, in bytes.
    package static let errorBytes = 512
    /// The time to connect.
    package static let connectTime = TimeAmount.seconds(5)
    /// The longest table of sockets, in bytes. A socket has 150 bytes.
    package static let socketTableBytes = 64 << 20
    /// The time in which Syncthing has to accept a connection, and the first and the longest pause between two looks.
    package static let acceptTime = TimeAmount.seconds(5)
    package static let firstAcceptPause = TimeAmount.milliseconds(1)
    package static let acceptPause = TimeAmount.milliseconds(100)
    /// The time of a request that reads or writes settings or the database.
    package static let requestTime = TimeAmount.seconds(60)
    /// The time of a scan. It waits while the folder pulls, and the first scan of a large folder takes long.
    package static let scanTime = TimeAmount.hours(6)
    /// The time that a request for events waits for one.
    package static let eventWait = TimeAmount.seconds(60)
    /// The time of a request for events, which is longer than its wait.
    package static let eventTime = TimeAmount.seconds(90)
    /// Events in one answer.
    package static let eventsPerAnswer = 1000
    /// Items in one page of `need` and `remoteneed`.
    package static let itemsPerPage = 65_536
    /// Pages of one answer.
    package static let pages = 256
}
