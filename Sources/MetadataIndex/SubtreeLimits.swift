// From which number of rows a subtree is treated at once.
// SPDX-License-Identifier: Apache-2.0

/// The sizes from which a subtree is not walked. Tests lower them.
struct SubtreeLimits {
    /// A subtree with fewer rows is removed row by row. In a large index so is one that is less than a 64th of it: about where
    /// both ways take as long.
    var smallestSweep = 1_024
    /// The most rows whose totals are computed when a subtree enters or leaves a package. A larger subtree makes the package
    /// be counted again when it is settled, so that moving it to and fro costs one scan per change set.
    var mostFoundAtOnce = 256
}
