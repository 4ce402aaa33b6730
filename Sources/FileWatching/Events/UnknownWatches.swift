// Events for watches that no directory has yet, while directories are being read.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// The events for a watch that the loop does not know yet, taken together.
struct HeldEvents {
    var names: Set<[UInt8]> = []
    /// There were more names than are kept: the directory must be read again.
    var isCut = false
    var touchesDirectory = false
    /// They tell of the directory's mode, its owner or its access control list.
    var reportsAttributes = false
    var position: UInt64
}

/// The watches that threads have made and not handed over, and the events of these.
///
/// A directory has one watch, and its events go to the row that it is known to belong to. Where the directory has come
/// from another container, a thread may have read it in its new place before that, and hand it over after it. So it is
/// also kept which watches of known directories have told of something.
struct UnknownWatches {
    private var held: [Int32: HeldEvents] = [:]
    /// Watches of known directories that have told of something, and the last of them.
    private var received: Set<Int32> = []
    private var lastReceived: Int32 = -1

    var count: Int { held.count }

    /// The position of the oldest event that is held; `UInt64.max` for none.
    var leastPosition: UInt64 { held.values.reduce(.max) { min($0, $1.position) } }

    /// Keeps an event for a watch, with at most so many names.
    mutating func hold(_ event: InotifyEvent, name: UnsafeRawBufferPointer, position: UInt64, limit: Int) {
        var events = held.removeValue(forKey: event.watch) ?? HeldEvents(position: position)
        events.touchesDirectory = true
        if event.nameLength == 0, event.mask.contains(.attributes) { events.reportsAttributes = true }
        if !name.isEmpty {
            if events.names.count < limit { events.names.insert(Array(name)) } else { events.isCut = true }
        }
        held[event.watch] = events
    }

    /// The events for a watch, taken together; nil for none.
    subscript(watch: Int32) -> HeldEvents? { held[watch] }

    /// The watch is known now, or has ended.
    mutating func remove(_ watch: Int32) { held[watch] = nil }

    /// A watch of a known directory has told of something.
    mutating func noteReceived(_ watch: Int32) {
        guard watch != lastReceived else { return }
        received.insert(watch)
        lastReceived = watch
    }

    func wasReceived(_ watch: Int32) -> Bool { received.contains(watch) }

    /// Nothing is being read any more.
    mutating func removeAll() {
        if !held.isEmpty { held = [:] }
        if !received.isEmpty { received = [] }
        lastReceived = -1
    }
}
