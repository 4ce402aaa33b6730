// What is kept for the next start is of use to a daemon that would see the same.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatherService

struct KeptStateTests {
    // Else a longer queue would come with a stop alone: an instance keeps the length that it was made with.
    @Test func `A queue of another length is made anew by a restart`() {
        let kept = KeptState.fingerprint(readsAccessLists: true, queueLimit: "16384\n")
        #expect(KeptState.fingerprint(readsAccessLists: true, queueLimit: "16384\n") == kept)
        #expect(KeptState.fingerprint(readsAccessLists: true, queueLimit: "131072\n") != kept)
        #expect(KeptState.fingerprint(readsAccessLists: false, queueLimit: "16384\n") != kept)
    }
}
