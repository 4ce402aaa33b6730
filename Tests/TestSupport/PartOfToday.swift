// Of what takes long to test as a whole, the part that is tested today.
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// One part of `share` of `whole`, in its order: another each day, so that all of it is tested within `share` days. With
/// `GATHER_TEST_LONG`, all of it at once; `GATHER_TEST_DAY` takes another day, as a number of days since 1970. For trials that
/// are alike: what only one of them can find is found some days later.
package func partOfToday<Whole: Collection>(_ whole: Whole, oneIn share: Int) -> [Whole.Element] {
    guard getenv("GATHER_TEST_LONG") == nil else { return Array(whole) }
    let day = getenv("GATHER_TEST_DAY").flatMap { Int(String(cString: $0)) } ?? time(nil) / 86_400
    let part = day.magnitude % share.magnitude
    // Neighbours: the trials are often made to differ by the last digits of their numbers.
    let first = whole.count * Int(part) / share
    let end = whole.count * Int(part + 1) / share
    return Array(whole.dropFirst(first).prefix(end - first))
}
