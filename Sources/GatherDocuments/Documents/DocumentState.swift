// The state of a document.
// SPDX-License-Identifier: Apache-2.0

/// The state of a document. An open document whose state is empty is normal: it may be edited, and is neither in conflict nor
/// in error. The parts combine.
public struct DocumentState: OptionSet, Sendable, Hashable, CustomStringConvertible {
    /// The bits.
    public let rawValue: Int

    /// Makes a state from its bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The document is not open.
    public static let closed = DocumentState(rawValue: 1 << 0)
    /// Another version of the file is in conflict with this one. Editing may go on.
    public static let inConflict = DocumentState(rawValue: 1 << 1)
    /// The last attempt to save or to load failed. The changes are in memory, and saving is tried again.
    public static let savingError = DocumentState(rawValue: 1 << 2)
    /// The contents are about to be replaced, or another process has the lock of the folder. An edit is safe, but may become
    /// a conflict.
    public static let editingDisabled = DocumentState(rawValue: 1 << 3)
    /// The file is being downloaded, loaded or saved, and ``Document/progress`` is valid.
    public static let progressAvailable = DocumentState(rawValue: 1 << 4)
    /// The file was removed by another program. An edit that is saved makes it anew.
    public static let deleted = DocumentState(rawValue: 1 << 5)

    /// The names of the parts, such as `inConflict, savingError`; `normal` for none.
    public var description: String {
        let names: [(DocumentState, String)] = [
            (.closed, "closed"), (.inConflict, "inConflict"), (.savingError, "savingError"),
            (.editingDisabled, "editingDisabled"), (.progressAvailable, "progressAvailable"), (.deleted, "deleted"),
        ]
        let parts = names.filter { contains($0.0) }.map(\.1)
        return parts.isEmpty ? "normal" : parts.joined(separator: ", ")
    }
}
