// Starting programs and waiting for their ends.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import LinuxSystem

@Suite struct ProgramTests {
    private func words(_ words: String...) -> [[UInt8]] { words.map { Array($0.utf8) } }

    @Test func outputIsThatOfProgramsThatSucceed() {
        #expect(Program.output(of: words("/bin/sh", "-c", "echo said; echo no >&2")) == Array("said\n".utf8))
        #expect(Program.output(of: words("/bin/sh", "-c", "cat")) == [], "there is no input")
        #expect(Program.output(of: words("/bin/sh", "-c", "echo said; exit 3")) == nil)
        #expect(Program.output(of: words("/nowhere/program")) == nil)
    }

    @Test func outputHasALimit() {
        let most = words("/bin/sh", "-c", "head -c 16777216 /dev/zero")
        #expect(Program.output(of: most)?.count == 16 << 20)
        #expect(Program.output(of: words("/bin/sh", "-c", "yes")) == nil, "and its program ends")
    }

    @Test(arguments: [("exit 7", 7), ("kill -TERM $$", 128 + 15)])
    func endsAreStatusesOrSignals(script: String, status: Int) throws {
        let process = try Program.start(words("/bin/sh", "-c", script))
        #expect(try Program.waitForEnd(of: process) == status)
        #expect(throws: SystemError(code: ECHILD)) { try Program.waitForEnd(of: process) }
    }
}
