// The time of a change by a hybrid logical clock.
// SPDX-License-Identifier: Apache-2.0

/// The stamp of a change: the later one wins.
///
/// It follows a hybrid logical clock (Kulkarni et al., "Logical Physical Clocks", 2014): the time of day, and a counter for changes
/// that the time does not order. The device makes the order total.
struct KeyValueStamp: Sendable, Hashable, Comparable {
    /// Milliseconds since 1970, never negative.
    var time: Int64
    var counter: Int64
    /// The ``DeviceIdentifier/text`` of the device that made the change.
    var device: String

    static func < (a: KeyValueStamp, b: KeyValueStamp) -> Bool {
        if a.time != b.time { return a.time < b.time }
        if a.counter != b.counter { return a.counter < b.counter }
        // Devices are ASCII.
        return a.device < b.device
    }
}
