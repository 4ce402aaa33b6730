// The fixed message identifiers: well formed, each its own, and explained by the catalog.
// SPDX-License-Identifier: Apache-2.0

import Logging
import SystemdSupport
import Testing

struct MessageIdentifierTests {
    @Test func `Identifiers are 128 bits of lower-case hex and no two are the same`() {
        for kind in MessageIdentifier.allCases {
            #expect(kind.identifier.utf8.count == 32, "\(kind)")
            #expect(kind.identifier.allSatisfy { "0123456789abcdef".contains($0) }, "\(kind)")
            #expect(kind.metadata["message-id"]?.description == kind.rawValue)
        }
        #expect(Set(MessageIdentifier.allCases.map(\.identifier)).count == MessageIdentifier.allCases.count)
    }

    @Test func `Identifiers that operators search for stay what they were`() {
        #expect(MessageIdentifier.started.identifier == "65faa037dbb54b4d937d8c828b4e12cb")
        #expect(MessageIdentifier.watchLimitReached.identifier == "f2f63e31d1fb40a984a350d6b4b17dbf")
        #expect(MessageIdentifier.stopping.identifier == "fe12cc2de602428197fb1d59e5dd0354")
    }
}
