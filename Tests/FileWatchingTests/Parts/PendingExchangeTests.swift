// The second pair of events of an exchange.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import FileWatching

@Suite struct PendingExchangeTests {
    private let here = DirectoryID(slot: 1, generation: 0)
    private let there = DirectoryID(slot: 2, generation: 0)
    private var exchange = PendingExchange()

    private mutating func note(_ cookie: UInt32, in directory: DirectoryID, leaving name: String?, at position: UInt64)
    {
        guard let name else { return exchange.note(cookie, in: directory, leaving: nil, at: position) }
        Array(name.utf8).withUnsafeBytes { exchange.note(cookie, in: directory, leaving: $0, at: position) }
    }

    @Test mutating func theSecondPairIsKnownByItsCookie() {
        #expect(!exchange.isSecond(0), "no rename has the cookie 0")
        exchange.expect(5)
        #expect(exchange.isSecond(5) && !exchange.isSecond(6))
        exchange.finish()
        #expect(!exchange.isSecond(5))
        exchange.expect(7)
        exchange.reset()
        #expect(!exchange.isSecond(7))
    }

    @Test mutating func theSecondPairIsKnownByItsPlace() {
        exchange.expect(from: here, Array("a".utf8), to: there, before: 50)
        note(4, in: DirectoryID(slot: 3, generation: 0), leaving: "a", at: 10)
        #expect(exchange.isAwaited, "another directory says nothing")
        note(5, in: here, leaving: "a", at: 20)
        #expect(exchange.isSecond(5) && !exchange.isAwaited)
    }

    @Test(arguments: [("b", 20), (nil, 20), ("a", 50)] as [(String?, UInt64)])
    mutating func anotherEventOfTheDirectoriesEndsTheWait(name: String?, position: UInt64) {
        exchange.expect(from: here, Array("a".utf8), to: there, before: 50)
        note(5, in: here, leaving: name, at: position)
        #expect(!exchange.isSecond(5) && !exchange.isAwaited)
    }
}
