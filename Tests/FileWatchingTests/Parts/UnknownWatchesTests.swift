// Events for watches that no directory has yet.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Testing

@testable import FileWatching

@Suite struct UnknownWatchesTests {
    private var watches = UnknownWatches()

    private mutating func hold(_ watch: Int32, _ mask: InotifyMask, _ name: String, position: UInt64, limit: Int = 9) {
        var bytes = withUnsafeBytes(of: watch.littleEndian, Array.init)
        bytes += withUnsafeBytes(of: mask.rawValue.littleEndian, Array.init) + [0, 0, 0, 0]
        let field = name.isEmpty ? [] : Array(name.utf8) + [UInt8](repeating: 0, count: 16 - name.utf8.count)
        bytes += withUnsafeBytes(of: UInt32(field.count).littleEndian, Array.init) + field
        var offset = 0
        guard let event = bytes.withUnsafeBytes({ InotifyEvent(in: $0, at: &offset) }) else {
            Issue.record("no event")
            return
        }
        Array(name.utf8).withUnsafeBytes { watches.hold(event, name: $0, position: position, limit: limit) }
    }

    @Test mutating func eventsAreKeptForTheDirectory() {
        hold(3, .create, "a", position: 7)
        hold(3, .attributes, "", position: 8)
        hold(4, .create, "b", position: 6)
        #expect(watches.count == 2 && watches.leastPosition == 6)
        let held = watches[3]
        #expect(held?.names == [Array("a".utf8)] && held?.position == 7)
        #expect(held?.touchesDirectory == true && held?.reportsAttributes == true && held?.isCut == false)
        #expect(watches[4]?.reportsAttributes == false)
        watches.remove(4)
        #expect(watches[4] == nil && watches.leastPosition == 7)
    }

    @Test mutating func tooManyNamesHaveTheDirectoryReadAgain() {
        for name in ["a", "b", "c"] { hold(3, .create, name, position: 7, limit: 2) }
        #expect(watches[3]?.names.count == 2 && watches[3]?.isCut == true)
    }

    @Test mutating func watchesWithEventsAreKnownUntilAllIsRead() {
        for watch in [3, 3, 4, 3] as [Int32] { watches.noteReceived(watch) }
        #expect(watches.wasReceived(3) && watches.wasReceived(4) && !watches.wasReceived(5))
        watches.removeAll()
        #expect(!watches.wasReceived(3) && watches.count == 0)
        watches.noteReceived(3)
        #expect(watches.wasReceived(3), "the last one is noted anew, too")
    }
}
