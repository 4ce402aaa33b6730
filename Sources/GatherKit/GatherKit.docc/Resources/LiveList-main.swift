// Shows the notes of the last day, live.
// SPDX-License-Identifier: Apache-2.0

let list = LiveList("name ENDSWITH '.md' AND modified > $time.now(-86400)", in: "notes")
try await list.follow { lines in
    print("\u{1B}[2J\u{1B}[H" + lines.joined(separator: "\n"))
}
