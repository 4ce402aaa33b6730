// A bounded dictionary that drops the values set longest ago.
// SPDX-License-Identifier: Apache-2.0

/// The values that were set last: at least half as many as the limit, at most the limit.
struct RecentValues<Key: Hashable, Value> {
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    var isEmpty: Bool { young.isEmpty && old.isEmpty }

    subscript(key: Key) -> Value? {
        get { young[key] ?? old[key] }
        set {
            young[key] = newValue
            if young.count * 2 >= limit { (old, young) = (young, [:]) }
        }
    }
}
