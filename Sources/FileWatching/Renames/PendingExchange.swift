// The second pair of events of an exchange whose first pair was recognised.
// SPDX-License-Identifier: Apache-2.0

/// The second pair of events of a `RENAME_EXCHANGE`, after the first pair has moved both rows. An exchange is recognised by the events
/// that follow its first pair, which give the cookie of the second; or by where its files are, and then the place of the second is
/// known.
struct PendingExchange {
    /// Where the second pair is to come from.
    private struct Place {
        var from: DirectoryID
        var name: [UInt8]
        var to: DirectoryID
        /// It lies before this in the stream.
        var end: UInt64
    }

    /// The cookie of the second pair; 0 for none.
    private var cookie: UInt32 = 0
    private var place: Place?

    /// Whether a rename with this cookie is the second pair: the rows have moved.
    func isSecond(_ cookie: UInt32) -> Bool { self.cookie != 0 && cookie == self.cookie }

    /// Whether ``note(_:in:leaving:at:)`` is to be called for each event on a name.
    var isAwaited: Bool { place != nil }

    /// The second pair has a cookie.
    mutating func expect(_ cookie: UInt32) { self.cookie = cookie }

    /// The second pair has come.
    mutating func finish() { cookie = 0 }

    /// Events were lost: no pair is expected.
    mutating func reset() { self = PendingExchange() }

    /// Expects a second pair by its place, before a position of the stream.
    mutating func expect(from directory: DirectoryID, _ name: [UInt8], to other: DirectoryID, before end: UInt64) {
        place = Place(from: directory, name: name, to: other, end: end)
    }

    /// An event on a name in a directory was read. Nothing else can be told of the two directories before the second pair.
    mutating func note(
        _ cookie: UInt32, in directory: DirectoryID, leaving name: UnsafeRawBufferPointer?, at position: UInt64
    ) {
        guard let place, directory == place.from || directory == place.to || position >= place.end else { return }
        self.place = nil
        if position < place.end, directory == place.from, let name, name.elementsEqual(place.name) {
            self.cookie = cookie
        }
    }
}
