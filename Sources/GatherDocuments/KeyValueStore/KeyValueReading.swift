// The contents of a store's directory at one moment.
// SPDX-License-Identifier: Apache-2.0

/// The contents of a store's directory at one moment.
struct KeyValueReading: Sendable {
    /// The entries of all files, conflict versions included, merged.
    var table = KeyValueTable()
    /// The entries of the files without conflict versions, merged.
    var regular = KeyValueTable()
    /// The clocks of all files.
    var clocks: [KeyValueClock] = []
    /// The files whose writers have merged files of other devices.
    var experienced: [KeyValueFileName] = []
    /// The files that could be read.
    var tables: [KeyValueFileName: KeyValueTable] = [:]
    /// The conflict versions that could be read, by name.
    var conflicts: [String: KeyValueTable] = [:]
    /// The files that could not be read.
    var problems: [KeyValueProblem] = []

    /// Adds the contents of a file, or of a conflict version.
    mutating func add(_ contents: KeyValueFile, of file: KeyValueFileName?, named name: String) {
        table.merge(contents.table)
        clocks.append(contents.clock)
        if let file {
            tables[file] = contents.table
            if contents.hasSeenOthers { experienced.append(file) }
            regular.merge(contents.table)
        } else {
            conflicts[name] = contents.table
        }
    }

    /// The entries of conflict versions that no regular file covers.
    var uncovered: [KeyValueEntry] {
        conflicts.values.flatMap { $0.entries.values.filter { !$0.isCovered(by: regular[$0.key]) } }
    }
}
