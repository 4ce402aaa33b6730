// Folding a device in that has left.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

extension KeyValueStore {
    /// The ``DeviceIdentifier/text`` of each device that has files in the directory, this one included, in order.
    ///
    /// - Throws: ``DocumentError`` if the directory cannot be read.
    public func devices() async throws(DocumentError) -> [String] {
        try await onFileThread { store throws(DocumentError) in
            try store.files.withLock { (files) throws(DocumentError) in
                Set(try store.read(&files).tables.keys.map(\.device)).sorted()
            }
        }
    }

    /// Copies the changes of a device that has left into the file of this one, and removes the files of that device.
    ///
    /// The copies keep their time, so no value changes. Where another change has replaced one of the device, that change is copied. A
    /// file of the device that arrives again later, from a device that was away, has nothing new. If the device returns, it goes on as before.
    ///
    /// - Parameter device: The ``DeviceIdentifier/text`` of the device.
    /// - Throws: ``DocumentError/Code/notAnotherDevice`` for this device, and for a text that is no identifier.
    ///   ``DocumentError/Code/unreadable`` if a file of the device cannot be read; nothing is removed then. Other errors if files
    ///   cannot be written or removed.
    public func foldIn(_ device: String) async throws(DocumentError) {
        guard !contents.withLock(\.isClosed) else { throw .closed }
        try await onFileThread { store throws(DocumentError) in try store.foldInFiles(of: device) }
    }

    func foldInFiles(of device: String) throws(DocumentError) {
        guard KeyValueFileName.isDevice(device), device != self.device.text else { throw .notAnotherDevice(device) }
        try files.withLock { (files) throws(DocumentError) in
            let reading = try read(&files)
            let prefix = files.path(of: device + "-")
            if let problem = reading.problems.first(where: { $0.path.hasPrefix(prefix) }) { throw .unreadable(problem) }
            let leaving = reading.tables.filter { $0.key.device == device }
            contents.withLock { contents in
                // A change that has replaced one of the device may be in no file yet, so it is taken instead.
                let keys = Set(leaving.values.flatMap { $0.entries.keys })
                contents.adopt(keys.compactMap { contents.merged[$0] })
            }
            try save(&files)
            try files.remove(leaving.keys.map(\.text).sorted())
        }
    }
}
