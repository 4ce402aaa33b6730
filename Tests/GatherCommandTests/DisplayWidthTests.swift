// Widths of text on a terminal, and cutting it.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import gather

struct DisplayWidthTests {
    @Test(arguments: [
        ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("漢字", 4), ("한", 2), ("ｱ", 1), ("Ａ", 2), ("😀", 2),
        ("❤\u{FE0F}", 2),
        ("❤", 1), ("👨‍👩‍👧", 2), ("\u{200B}x", 1), ("▁█", 2), ("…", 1), ("🇩🇪", 2),
    ])
    func widths(_ text: String, _ width: Int) { #expect(DisplayWidth.of(text) == width, "\(text)") }

    @Test func `A cut text is never wider, and loses no more than it must`() {
        let texts = ["plain text", "漢字かな交じり", "a漢b字c", "e\u{301}e\u{301}e\u{301}e\u{301}", "😀😀😀", ""]
        for text in texts {
            for width in 0...20 {
                let cut = DisplayWidth.cut(text, to: width)
                #expect(DisplayWidth.of(cut) <= width)
                if DisplayWidth.of(text) <= width {
                    #expect(cut == text)
                } else if width > 0 {
                    #expect(cut.hasSuffix("…") && text.hasPrefix(cut.dropLast()))
                    #expect(DisplayWidth.of(cut) >= width - 1)
                }
                #expect(DisplayWidth.of(DisplayWidth.fitted(text, to: width)) == width)
                #expect(DisplayWidth.of(DisplayWidth.fitted(text, to: width, alignsRight: true)) == width)
            }
        }
    }
}
