// The line ends of a file.
// SPDX-License-Identifier: Apache-2.0

/// The line ends of a file, which a change of its contents keeps. They say nothing of the item, so all are equal.
struct LineEnds: Sendable, Hashable {
    /// Whether most lines end with CR LF, as on Windows.
    var areCRLF = false

    static func == (one: LineEnds, other: LineEnds) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
}
