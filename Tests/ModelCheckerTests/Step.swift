// A change of a run, by its place.
// SPDX-License-Identifier: Apache-2.0

/// One change of one round, which a shorter run may leave out.
struct Step: Hashable {
    var round: Int
    var thread: Int
    var index: Int
}
