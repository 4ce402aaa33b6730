// The bar while containers are read, and the advice for the next step.
// SPDX-License-Identifier: Apache-2.0

import GatherKit
import Testing

@testable import gather

struct ProgressTests {
    @Test func `A bar for what is known, which does not go back`() {
        var bar = ReadingBar()
        func line(_ share: Double, width: Int = 60) -> String {
            bar.line("comparing box", share: share, "9 items", width: width, isUnicode: false)
        }
        #expect(line(0) == "comparing box  ------------------------------   0 %  9 items")
        #expect(line(0.5) == "comparing box  ###############---------------  50 %  9 items")
        #expect(line(0.4) == "comparing box  ###############---------------  50 %  9 items")
        #expect(line(1.5).contains("99 %"))
        #expect(line(.nan).contains("99 %"))
        #expect(line(1, width: 30) == "comparing box: 99 %  9 items")
        #expect(line(1, width: 10) == "comparing…")
        for width in 0...100 { #expect(DisplayWidth.of(line(0.3, width: width)) <= width) }
    }

    @Test func `A block goes to and fro while the total is unknown`() {
        var bar = ReadingBar()
        var starts: Set<Int> = []
        for _ in 0..<100 {
            let line = bar.line("reading box", share: nil, "9 items so far", width: 80, isUnicode: true)
            #expect(line.count(where: { $0 == "█" }) == 4 && line.count(where: { $0 == "░" }) == 26)
            #expect(line.hasPrefix("reading box  ") && line.hasSuffix("  9 items so far"))
            starts.insert(Array(line).firstIndex(of: "█") ?? -1)
        }
        #expect(starts.count == 27)
        for width in 0...100 {
            #expect(
                DisplayWidth.of(bar.line("reading 漢字", share: nil, "9 items", width: width, isUnicode: true)) <= width)
        }
    }

    @Test func `The next step to take`() {
        func next(
            _ states: [ContainerStatus.State], unreadable: Int = 0, overflows: Int = 0, uptime: Int? = nil,
            words: String = ""
        ) -> [String] {
            StatusAdvice.next(
                states.enumerated().map { ("c\($0)", $1, unreadable) }, overflows: overflows, uptime: uptime,
                words: words)
        }
        #expect(next([.live, .live]).isEmpty)
        #expect(next([], words: " --user") == ["nothing is watched yet: gather container add --user NAME DIRECTORY"])
        #expect(
            next([.live, .crawling], words: " --user")
                == ["'c1' is being read, and answers wait for that: gather container list --wait --user"])
        #expect(next([.degraded, .degraded]) == ["2 containers are degraded; what mends that: gather doctor"])
        #expect(next([.unavailable]).count == 1 && next([.live], unreadable: 3).count == 1)
        #expect(next([.live], overflows: 1).count == 1)
        #expect(next([.live], overflows: 1, uptime: 86_399).count == 1)
        #expect(next([.live], overflows: 1, uptime: 86_400).isEmpty, "what came once is forgotten")
        #expect(next([.live], overflows: 8, uptime: 7 * 86_400).count == 1)
    }

    @Test(arguments: [
        (0, "0 s"), (59, "59 s"), (60, "1 min"), (3_599, "59 min"), (3_600, "1 h 0 min"), (86_399, "23 h 59 min"),
        (90_000, "1 d 1 h"), (-5, "0 s"),
    ])
    func spans(_ seconds: Int64, _ text: String) {
        let start = Timestamp(nanoseconds: 1_000)
        #expect(Readable.span(from: start, to: Timestamp(nanoseconds: 1_000 + seconds * 1_000_000_000)) == text)
        #expect(Readable.seconds(from: Timestamp(nanoseconds: .min), to: start) == 0, "a daemon that makes it up")
    }
}
