// One pass of the self-audit over a container.
// SPDX-License-Identifier: Apache-2.0

/// How far the self-audit has come with a container: it goes over the table of directories from slot to slot.
struct AuditPass {
    /// When it began: the pace follows from that.
    var began: UInt64
    /// The slot to go on from.
    var cursor = 0
    /// How many directories were asked for.
    var directories = 0
    /// The repairs of this pass.
    var counts = ComparisonCounts()
}
