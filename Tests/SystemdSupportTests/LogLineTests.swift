// A message and its metadata as one line, whatever is in them.
// SPDX-License-Identifier: Apache-2.0

import Logging
import Testing

@testable import SystemdSupport

struct LogLineTests {
    private static let cases: [(String, Logger.Metadata, String)] = [
        ("ready", [:], "ready"),
        ("live", ["items": "3", "container": "grocery"], "live container=grocery items=3"),
        ("live", ["message-id": "container-live"], "live"),
        ("x", ["path": "/srv/my files"], #"x path="/srv/my files""#),
        ("x", ["path": #"a"b\c"#], #"x path="a\"b\\c""#),
        ("x", ["path": #"a\c"#], #"x path=a\c"#),
        ("x", ["path": ["/a b", "/c"], "none": []], #"x path="/a b" path=/c"#),
        ("x", ["path": "", "y": "a=b"], #"x path="" y="a=b""#),
        ("x", ["path": "a\nerror: forged"], #"x path="a\nerror: forged""#),
        ("a\nb\u{1B}[31m\u{9B}\u{7F}", [:], #"a\nb\x1b[31m\x9b\x7f"#),
        ("a\u{0}", ["k": "\t"], #"a\x00 k=\t"#),
        ("Äpfel", ["k": "Öl"], "Äpfel k=Öl"),
        (
            "container 'box' at /srv/my box is read", ["container": "box", "path": "/srv/my box"],
            "container 'box' at /srv/my box is read"
        ),
        (
            "cannot be read: No such file", ["error": "No such file", "user": "7"],
            "cannot be read: No such file user=7"
        ),
        ("13 items", ["count": "3"], "13 items count=3"),
        ("boxes", ["container": "box", "names": ["boxes", "b"]], "boxes container=box names=b"),
        ("3", ["count": "3"], "3"),
    ]

    @Test(arguments: cases)
    func `One line, sorted, quoted, without control characters`(
        _ message: String, _ metadata: Logger.Metadata, _ line: String
    ) {
        #expect(LogLine.text(message, metadata) == line)
    }
}
