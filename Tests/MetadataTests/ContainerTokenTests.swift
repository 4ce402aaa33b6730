// The mark of a container and its file.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import Testing

struct ContainerTokenTests {
    private static let digits = "0123456789abcdef0123456789abcdef"

    @Test func aMarkReadsBackAsItWasWritten() {
        let token = ContainerToken.random()
        #expect(ContainerToken(contents: token.contents) == token)
        #expect(token != ContainerToken.random())
    }

    @Test(arguments: ["", "\n", " later\nversions write more"]) func moreIsNotRead(rest: String) {
        #expect(ContainerToken(contents: (Self.digits + rest).utf8)?.text == Self.digits)
    }

    @Test(arguments: [
        "", "\n", "0123", digits.dropLast() + "\n", digits.uppercased(), digits + "0", "x" + digits, digits + "\0",
    ])
    func otherContentsAreNoMark(contents: String) {
        #expect(ContainerToken(contents: contents.utf8) == nil)
    }
}
