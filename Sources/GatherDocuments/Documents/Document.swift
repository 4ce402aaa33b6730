// A document: contents that are loaded, edited, saved, and followed.
// SPDX-License-Identifier: Apache-2.0

public import GatherKit

/// A file that an application has open: its contents as a value, undo, saving by itself, and changes from outside.
///
/// ```swift
/// let document = Document<Note>(path: "/srv/notes/Documents/today.txt")
/// try await document.open()
/// try await document.edit("Typing") { $0.text += "Milk\n" }
/// try await document.close()
/// ```
///
/// ## Saving
///
/// A change is saved within ``DocumentOptions/autosaveInterval``, by ``save()`` and by ``close(discardsChanges:)``. A reader of
/// the file sees the old contents or the new ones. If a save fails, the file stays as it was, the state has
/// ``DocumentState/savingError``, and the save is tried again.
///
/// ## Changes from outside
///
/// If another program changes the file, the document loads it, unless it has unsaved changes. With unsaved changes it is in
/// conflict. Its next save becomes the current version, and the other version is kept as a ``FileVersion`` beside it. No version
/// that was saved is lost, except one that a program without the lock of the folder writes into the file in place while the
/// document replaces it.
///
/// ## Threads
///
/// All members may be used from any task. Input and output happens on other threads.
public actor Document<Contents: DocumentContents> {
    /// The settings.
    public nonisolated let options: DocumentOptions
    /// The progress of loading or saving, valid while the state has ``DocumentState/progressAvailable``.
    public nonisolated let progress = DocumentProgress()
    nonisolated let holder = DocumentStateHolder()
    nonisolated let changeBroadcast = Broadcast<DocumentChange>()

    var location: FilePath
    var model: Contents?
    var loaded: LoadedDocument?
    var revisions = Revisions()
    var undoStack = UndoStack<Contents>()
    var conflicts = ConflictRecord()
    var lastError: DocumentError?
    var autosave: Task<Void, Never>?
    var follower: Follower?
    /// The number of followers so far.
    var followers: UInt64 = 0
    /// One operation on the file at a time.
    let turn = OperationTurn()

    /// Makes a document that is not open yet.
    public init(path: FilePath, options: DocumentOptions = DocumentOptions()) {
        location = path
        self.options = options
    }

    deinit {
        follower?.task.cancel()
    }

    // MARK: Reading

    /// The path of the file now.
    public var path: FilePath { location }
    /// The contents.
    ///
    /// - Throws: ``DocumentError/Code/closed`` if the document is not open.
    public var contents: Contents { get throws(DocumentError) { try openContents() } }
    /// Whether there are changes that are not saved yet.
    public var hasUnsavedChanges: Bool { model != nil && revisions.hasUnsavedChanges }
    /// The error of the last attempt to save or to load; nil after a success.
    public var savingError: DocumentError? { lastError }
    /// Whether changes from outside are heard.
    public var following: DocumentFollowing { follower?.state ?? .off }
    /// The state.
    public nonisolated var state: DocumentState { holder.value }
    /// The present state and each later one. Every access makes a new sequence. It ends with the document.
    public nonisolated var states: AsyncStream<DocumentState> { holder.states }
    /// Changes that this application did not make, from now on. Every access makes a new sequence.
    public nonisolated var changes: AsyncStream<DocumentChange> { changeBroadcast.stream() }

    func openContents() throws(DocumentError) -> Contents {
        guard let model else {
            throw DocumentError(code: .closed, message: "the document \(location) is not open", path: location.string)
        }
        return model
    }

    // MARK: Editing

    /// Changes the contents, and records a step to undo it. If the body throws, nothing changes.
    ///
    /// - Parameters:
    ///   - actionName: The name of the step, for a menu.
    ///   - body: The change.
    @discardableResult
    public func edit<Result>(
        _ actionName: String? = nil, _ body: @Sendable (inout Contents) throws -> Result
    ) throws -> sending Result {
        var changed = try openContents()
        let before = UndoStack<Contents>.Entry(
            contents: changed, revision: revisions.current, actionName: actionName)
        let result = try body(&changed)
        model = changed
        undoStack.record(before)
        revisions.edit()
        changesWereMade()
        return result
    }

    /// Tells the document of a change of the contents, for an application with undo steps of its own.
    public func updateChangeCount(_ change: ChangeCount) throws(DocumentError) {
        _ = try openContents()
        revisions.change(change)
        changesWereMade()
    }

    /// Whether there is a step to undo.
    public var canUndo: Bool { !undoStack.undo.isEmpty }
    /// Whether there is a step to redo.
    public var canRedo: Bool { !undoStack.redo.isEmpty }
    /// The name of the step that ``undo()`` undoes.
    public var undoActionName: String? { undoStack.undo.last?.actionName }
    /// The name of the step that ``redo()`` redoes.
    public var redoActionName: String? { undoStack.redo.last?.actionName }

    /// Undoes the last step. Returns whether there was one. Contents that were loaded from outside cannot be undone.
    @discardableResult
    public func undo() throws(DocumentError) -> Bool {
        let now = try entry()
        return apply(undoStack.takeUndo(now))
    }

    /// Redoes the last undone step. Returns whether there was one.
    @discardableResult
    public func redo() throws(DocumentError) -> Bool {
        let now = try entry()
        return apply(undoStack.takeRedo(now))
    }

    /// Begins a group: all edits up to the matching ``endUndoGroup()`` are one step. Groups nest.
    public func beginUndoGroup(_ actionName: String? = nil) throws(DocumentError) {
        undoStack.beginGroup(try entry(actionName))
    }

    /// Ends a group.
    public func endUndoGroup() { undoStack.endGroup(revision: revisions.current) }

    private func entry(_ actionName: String? = nil) throws(DocumentError) -> UndoStack<Contents>.Entry {
        UndoStack<Contents>.Entry(
            contents: try openContents(), revision: revisions.current, actionName: actionName)
    }

    private func apply(_ entry: UndoStack<Contents>.Entry?) -> Bool {
        guard let entry else { return false }
        model = entry.contents
        revisions.restore(entry.revision)
        changesWereMade()
        return true
    }

    /// Schedules a save, if there is something to save.
    func changesWereMade() {
        guard hasUnsavedChanges, autosave == nil else { return }
        // The task holds the document, so that changes are saved although no other reference to it is left.
        autosave = Task { [interval = options.autosaveInterval] in
            try? await Task.sleep(for: interval)
            guard !Task.isCancelled else { return }
            await self.saveByItself()
        }
    }

    private func saveByItself() async {
        autosave = nil
        // The error is in the state, and a later attempt is scheduled.
        try? await save()
    }
}
