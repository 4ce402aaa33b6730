// The files of a folder that are evicted.
// SPDX-License-Identifier: Apache-2.0

/// Knows which files of a folder are evicted, here and on other devices, and which are about to be. A file is in one of
/// three states: here, leaving (here, and its eviction is under way), or evicted. Only the patterns of Syncthing count:
/// the session reads them, and this says which files differ.
struct Evictions {
    /// The files that are evicted, with their newest versions.
    private var evicted: [String: AbsentItem] = [:]
    /// The files that are leaving, with the number of the call that evicts them.
    private var leaving: [String: Int] = [:]
    private var calls = 0
    private var areVersionsDoubtful = false
    /// Whether ``evicted`` has the files of the patterns, and ``elsewhere`` those of other devices.
    private(set) var isKnown = false
    /// The files that other devices evicted, by the short identifier of the device.
    private var elsewhere: [String: EvictedList] = [:]
    /// The reason why the list for other devices is not that of the patterns. Then nothing more is evicted.
    private(set) var listFailure: String?

    // MARK: Evicted files

    /// The files that are evicted.
    var parts: Set<String> { Set(evicted.keys) }

    /// Whether a file is evicted.
    func isEvicted(_ part: String) -> Bool { evicted[part] != nil }

    /// Returns the newest version of an evicted file; nil for another file.
    func version(_ part: String) -> AbsentItem? { evicted[part] }

    /// Notes that a file is evicted, and its newest version.
    mutating func add(_ part: String, _ version: AbsentItem) { evicted[part] = version }

    /// Takes the newest version of a file that may be evicted no more.
    mutating func update(_ part: String, _ version: AbsentItem) { if isEvicted(part) { evicted[part] = version } }

    /// Notes that files are evicted no more.
    mutating func remove(_ parts: some Sequence<String>) { for part in parts { evicted[part] = nil } }

    /// Notes that other devices may have changed or deleted evicted files.
    mutating func doubtVersions() { areVersionsDoubtful = !evicted.isEmpty }

    /// Whether Syncthing has to be asked for the newest versions of evicted files.
    var hasDoubts: Bool { areVersionsDoubtful }

    /// Returns whether Syncthing has to be asked for the newest versions, and takes that for done.
    mutating func takeDoubt() -> Bool {
        defer { areVersionsDoubtful = false }
        return areVersionsDoubtful
    }

    // MARK: Patterns and lists

    /// Returns the evicted files that the patterns do not name, and the files of the patterns that are neither evicted nor leaving.
    func differences(from patterns: Set<String>) -> (unnamed: Set<String>, strange: Set<String>) {
        (parts.subtracting(patterns), patterns.filter { evicted[$0] == nil && leaving[$0] == nil })
    }

    /// Notes that the patterns and the lists of other devices have been read.
    mutating func setKnown() { isKnown = true }

    /// Notes whether the list for other devices could be written. Returns whether the failure is another one than before.
    mutating func note(listFailure failure: String?) -> Bool {
        defer { listFailure = failure }
        return failure != listFailure
    }

    /// Takes the lists of other devices, by their short identifiers.
    mutating func take(elsewhere lists: [String: EvictedList]) { elsewhere = lists }

    /// The files that other devices evicted.
    var partsElsewhere: Set<String> { elsewhere.values.reduce(into: []) { $0.formUnion($1.paths) } }

    /// Adds ``parts`` and ``partsElsewhere`` to a set.
    func addParts(to set: inout Set<String>) {
        set.formUnion(evicted.keys)
        for list in elsewhere.values { set.formUnion(list.paths) }
    }

    /// Whether another device may have evicted a file. `device` is called for its short identifier, if there are lists.
    func mayBeEvicted(_ part: String, on device: @autoclosure () -> String?) -> Bool {
        if elsewhere.isEmpty { return false }
        return device().flatMap { elsewhere[$0]?.mayHave(part) } ?? false
    }

    // MARK: Calls that evict

    /// The files that are leaving.
    var leavingParts: Set<String> { Set(leaving.keys) }

    /// Whether a file is leaving.
    func isLeaving(_ part: String) -> Bool { leaving[part] != nil }

    /// Whether a file is leaving by a call.
    func isLeaving(_ part: String, by call: Int) -> Bool { leaving[part] == call }

    /// Begins a call that evicts files that are here. Returns its number.
    mutating func begin(_ parts: [String]) -> Int {
        calls += 1
        for part in parts { leaving[part] = calls }
        return calls
    }

    /// Notes that the file of a call is here no more.
    mutating func finish(_ part: String, _ version: AbsentItem) {
        leaving[part] = nil
        evicted[part] = version
    }

    /// Returns the files of a call that are still here.
    func left(by call: Int) -> Set<String> { Set(leaving.filter { $0.value == call }.keys) }

    /// Ends a call. Its files that are still here stay.
    mutating func end(_ call: Int) { leaving = leaving.filter { $0.value != call } }
}
