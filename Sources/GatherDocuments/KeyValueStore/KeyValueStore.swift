// The key-value store.
// SPDX-License-Identifier: Apache-2.0

public import GatherKit
internal import Metadata
internal import Synchronization

/// A small dictionary that the processes and devices of a user share: settings, the last list, a tint.
///
/// ```swift
/// let store = try await KeyValueStore(container: try await Container(identifier: "notes"))
/// try store.set("blue", forKey: "tint")
/// try await store.synchronize()
/// for await change in store.changes where change.keys.contains("tint") { show(store.string(forKey: "tint")) }
/// ```
///
/// ## Merging
///
/// Each device writes files of its own, so replicating the directory cannot cause conflicts. For each key the last change
/// counts. A hybrid logical clock orders changes: where the clocks of devices are wrong, a device that has seen a value still replaces
/// it. Where changes have the same time, the greater ``DeviceIdentifier/text`` decides. All devices that have the same files have
/// the same dictionary.
///
/// ## Limits
///
/// ``KeyValueLimits`` has the limits. A change beyond one throws, sends ``KeyValueChange/Reason/quotaViolation``, and changes
/// nothing. Several devices within the limits can merge to more. No key is dropped then. New keys and larger values are
/// refused until enough was removed.
///
/// ## Writing
///
/// Changes are in memory at once, and on disk after ``synchronize()``, ``close()`` or ``KeyValueLimits/autosaveDelay``. A
/// process that ends earlier loses them. If writing fails, it is tried again, and ``savingError`` has the reason.
///
/// ## Changes from outside
///
/// With a daemon that watches the directory, changes of other processes and devices arrive as they
/// happen. Without one they arrive with ``synchronize()``.
///
/// Every member may be used from any thread or task. The file work is done on threads of its own.
public final class KeyValueStore: Sendable {
    /// The place of a store in a container, below its data scope. Entries of `Documents` are the user's, and these are not.
    /// Replication covers it. Each application of a container has one store, as it has one container.
    public static let nameInContainer = ".gather/key-values"

    /// The directory.
    public let directory: FilePath
    /// This device.
    public let device: DeviceIdentifier

    let contents = Mutex(KeyValueContents())
    /// The files. It is locked before ``contents``, for as long as files are read and written.
    let files: Mutex<KeyValueDirectory>
    let board = KeyValueChangeBoard()
    let follower = Mutex<Task<Void, Never>?>(nil)
    private let settings: KeyValueSettings

    /// Opens the store in a directory, and reads all of its files. The directory and its parent are made if they are missing.
    ///
    /// - Parameters:
    ///   - directory: An absolute path. Nothing else should be in the directory.
    ///   - daemon: The daemon to follow changes through; nil for none.
    /// - Throws: ``DocumentError`` if the directory cannot be made or read, or if this device has no identifier. Files that cannot
    ///   be read are no error, but ``problems``.
    public convenience init(
        directory: FilePath, followingThrough daemon: Daemon? = .automatic
    ) async throws(DocumentError) {
        try self.init(directory: directory, device: try .current(), settings: KeyValueSettings())
        try await onFileThread { store throws(DocumentError) in try store.readFiles() }
        if let daemon { follow(through: daemon) }
    }

    /// Opens the store of a container: ``nameInContainer`` in its directory.
    public convenience init(container: Container) async throws(DocumentError) {
        try container.requireFilesHere()
        await KeyValueStore.makeSharedDirectory(in: container)
        try await self.init(
            directory: container.data.appending(KeyValueStore.nameInContainer), followingThrough: container.daemon)
    }

    /// Whether the directory of a container's store is there, and this user may read it. Blocks the thread.
    package static func isReadable(in container: some FileContainer) -> Bool {
        (try? Folder(container.data.appending(nameInContainer).bytes)) != nil
    }

    /// Makes the directory of a store for all users of the container. A failure is told when the store is opened.
    static func makeSharedDirectory(in container: some FileContainer) async {
        await BlockingWork.run { _ = try? container.folder(nameInContainer.split(separator: "/").map(String.init)) }
    }

    /// Opens the store of a local container.
    public convenience init(container: LocalContainer) async throws(DocumentError) {
        try await self.init(
            directory: container.data.appending(KeyValueStore.nameInContainer), followingThrough: nil)
    }

    /// Opens a store whose files are not read yet.
    init(directory: FilePath, device: DeviceIdentifier, settings: KeyValueSettings) throws(DocumentError) {
        self.directory = directory
        self.device = device
        self.settings = settings
        files = Mutex(try KeyValueDirectory(path: directory, device: device.text))
    }

    deinit {
        follower.withLock { $0?.cancel() }
        board.close()
    }

    // MARK: Changing

    /// Sets a value. It is in memory at once, and on disk later; see ``synchronize()``. If the key has this value already, the call
    /// still counts as a change, which replaces earlier changes of other devices.
    ///
    /// - Throws: ``DocumentError`` for a limit, for a number that is not finite, and after ``close()``. Then nothing changed.
    public func set(_ value: KeyValue, forKey key: String) throws(DocumentError) { try change(value, forKey: key) }

    /// Removes a key. A missing one is no error.
    ///
    /// - Throws: ``DocumentError/Code/closed`` after ``close()``.
    public func removeValue(forKey key: String) throws(DocumentError) { try change(nil, forKey: key) }

    private func change(_ value: KeyValue?, forKey key: String) throws(DocumentError) {
        let now = settings.now()
        do throws(DocumentError) {
            try contents.withLock { (contents) throws(DocumentError) in
                try contents.set(value, forKey: key, now: now, device: device.text)
            }
        } catch {
            if error.isQuotaViolation { board.post(KeyValueChange(reason: .quotaViolation, keys: [key])) }
            throw error
        }
        if let delay = settings.autosaveDelay { scheduleSaving(after: delay) }
    }

    // MARK: Reading

    /// The value of a key; nil if there is none.
    public func value(forKey key: String) -> KeyValue? { contents.withLock { $0.merged[key]?.value } }

    /// All values by key. Costs O(keys).
    public var dictionary: [String: KeyValue] { contents.withLock { $0.merged.dictionary } }

    /// The changes from outside and the refused ones, since the store was opened.
    public var changes: KeyValueChanges { KeyValueChanges(board: board) }

    /// The files of the directory that could not be read when it was last looked at, at most a few. They are kept as they are.
    public var problems: [KeyValueProblem] { contents.withLock(\.problems) }

    /// The error of the last writing; nil if it succeeded, or if nothing was written.
    public var savingError: DocumentError? { contents.withLock(\.savingError) }

    // MARK: Files

    /// Writes the values that were set to disk, and merges those that others have written. Returns when both are done:
    /// values set before the call survive a crash of the process and of the machine.
    ///
    /// - Throws: ``DocumentError`` if a file cannot be written, or the directory not be read. The values stay in memory, and
    ///   writing is tried again.
    public func synchronize() async throws(DocumentError) {
        guard !contents.withLock(\.isClosed) else { throw .closed }
        try await onFileThread { store throws(DocumentError) in try store.synchronizeFiles() }
    }

    /// Writes the values that were set to disk and ends the store: ``changes`` end, and nothing can be set any more.
    /// Values stay readable.
    ///
    /// - Throws: ``DocumentError`` if a file cannot be written. The store is closed in any case.
    public func close() async throws(DocumentError) {
        guard
            !contents.withLock({ contents in
                defer { contents.isClosed = true }
                return contents.isClosed
            })
        else { return }
        follower.withLock { $0?.cancel() }
        defer { board.close() }
        try await onFileThread { store throws(DocumentError) in try store.closeFiles() }
    }

    private func scheduleSaving(after delay: Duration) {
        let isFirst = contents.withLock { contents in
            defer { contents.isSavingScheduled = true }
            return !contents.isSavingScheduled
        }
        guard isFirst else { return }
        // The task holds the store, so that values are written even if the application drops it.
        Task {
            try? await Task.sleep(for: delay)
            await saveInBackground()
        }
    }

    private func saveInBackground() async {
        contents.withLock { $0.isSavingScheduled = false }
        do throws(DocumentError) {
            try await onFileThread { store throws(DocumentError) in try store.saveFiles() }
        } catch {
            // Retrying ends with the store. `savingError` has the reason.
            Task { [weak self] in
                try? await Task.sleep(for: KeyValueLimits.retryDelay)
                guard let self, !contents.withLock({ $0.isClosed || $0.isSavingScheduled }) else { return }
                await saveInBackground()
            }
        }
    }
}
