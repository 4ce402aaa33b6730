// The work of a store on its files. It blocks, so it runs on the threads of a pool.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

extension KeyValueStore {
    /// Runs blocking work where it holds up no task.
    func onFileThread<Value: Sendable>(
        _ work: @escaping @Sendable (KeyValueStore) throws(DocumentError) -> Value
    ) async throws(DocumentError) -> Value {
        try await BlockingWork.run { () throws(DocumentError) in try work(self) }
    }

    /// Merges the values that others have written.
    func readFiles() throws(DocumentError) {
        _ = try files.withLock { (files) throws(DocumentError) in try read(&files) }
    }

    /// Writes the values that were set.
    func saveFiles() throws(DocumentError) {
        try files.withLock { (files) throws(DocumentError) in try save(&files) }
    }

    /// Merges the values that others have written, and writes those that were set. Conflict versions of files are taken
    /// into the own file and removed: nothing should make them, but replication programs may.
    func synchronizeFiles() throws(DocumentError) {
        try files.withLock { (files) throws(DocumentError) in
            // Own values are saved first, so that they do not wait for a directory that cannot be read.
            try save(&files)
            let reading = try read(&files)
            if !files.hasOwnFile { contents.withLock { $0.rewrite() } }
            contents.withLock { $0.adopt(reading.uncovered) }
            try save(&files)
            try files.remove(reading.conflicts.keys.sorted())
        }
    }

    /// Writes the values that were set, and gives the slot up.
    func closeFiles() throws(DocumentError) {
        try files.withLock { (files) throws(DocumentError) in
            defer { files.slot = nil }
            try save(&files)
        }
    }

    func read(_ files: inout KeyValueDirectory) throws(DocumentError) -> KeyValueReading {
        let reading = try files.read()
        let others = reading.tables.keys.contains { $0.device != device.text }
        // Another process of this device may have merged them before.
        let isKnown = reading.experienced.contains { $0.device == device.text }
        let (reason, changed) = contents.withLock { contents -> (KeyValueChange.Reason, Set<String>) in
            let isFirst = others && !contents.hasSeenOthers && !isKnown
            if others || isKnown { contents.hasSeenOthers = true }
            contents.problems = Array(reading.problems.prefix(KeyValueLimits.mostProblems))
            return (isFirst ? .initialSynchronization : .serverChange, contents.merge(reading))
        }
        board.post(KeyValueChange(reason: reason, keys: changed))
        return reading
    }

    func save(_ files: inout KeyValueDirectory) throws(DocumentError) {
        let next = contents.withLock { $0.isDirty ? $0.file() : nil }
        guard let (contentsOfFile, generation) = next else { return }
        var file = contentsOfFile
        do throws(DocumentError) {
            try files.save(&file)
        } catch {
            contents.withLock { $0.savingError = error }
            throw error
        }
        let changed = contents.withLock { contents in
            contents.savingError = nil
            return contents.saved(file, generation: generation)
        }
        board.post(KeyValueChange(reason: .serverChange, keys: changed))
    }
}
