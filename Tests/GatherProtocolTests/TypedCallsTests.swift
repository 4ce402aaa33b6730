// Replies that are none.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Testing
import Varlink

@Suite struct TypedCallsTests {
    @Test func aReplyThatIsNoneIsAViolation() throws {
        let flushed = try JSONBytes("{\"clock\":\"7\"}").reply(of: QueryInterface.Flush.self)
        #expect(flushed == QueryInterface.Flush.Reply(clock: "7"))
        #expect(throws: VarlinkClientError.violation(.malformed(JSONError(.missingField("clock"), at: 0)))) {
            try JSONBytes("{}").reply(of: QueryInterface.Flush.self)
        }
    }
}
