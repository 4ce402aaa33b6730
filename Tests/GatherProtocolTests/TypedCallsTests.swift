// Where messages, limits and kinds meet what lies below them.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Metadata
import Testing
import Varlink

@Suite struct TypedCallsTests {
    @Test func limitsAreToldInTheTermsOfTheInterface() {
        let error = ProtocolLimits.ofServer.error("requestBytes", 1_048_576)
        #expect(QueryError(error) == .limitExceeded(limit: "requestBytes", value: 1_048_576))
    }

    @Test func kindsAreThoseOfTheVocabulary() {
        #expect(ItemKind.allCases.compactMap(\.fileKind) == FileKind.allCases)
    }

    @Test func aReplyThatIsNoneIsAViolation() throws {
        let flushed = try JSONBytes("{\"clock\":\"7\"}").reply(of: QueryInterface.Flush.self)
        #expect(flushed == QueryInterface.Flush.Reply(clock: "7"))
        #expect(throws: VarlinkClientError.violation(.malformed(JSONError(.missingField("clock"), at: 0)))) {
            try JSONBytes("{}").reply(of: QueryInterface.Flush.self)
        }
    }
}
