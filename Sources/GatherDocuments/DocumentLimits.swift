// The limits of documents.
// SPDX-License-Identifier: Apache-2.0

internal import Metadata

/// The limits of documents.
public enum DocumentLimits {
    /// The largest file that is loaded or saved, in bytes: 1 GiB.
    public static let contentBytes = 1 << 30
    /// The longest name of a document, in bytes. A longer one leaves no room for the name of a conflict version.
    public static let nameBytes = ConflictName.longestOriginal
    /// The longest wait for the lock of a folder, where no settings say it.
    static let lockTimeout = Duration.seconds(30)
    /// How many times a file is read again that changes while it is read.
    static let readings = 8
    /// How many times a save begins anew because other programs replaced the file meanwhile.
    static let saveAttempts = 64
    /// The number of bytes that are read or written at once, after which the progress is told.
    static let chunkBytes = 1 << 20
    /// The most entries of a package, those in its folders included.
    public static let packageEntries = 100_000
    /// The most folders of a package in one another.
    public static let packageDepth = 32
    /// The longest target of a symbolic link, in bytes (`PATH_MAX`).
    static let linkBytes = 4_096
    /// The most folders in one another that are removed with a former package.
    static let removalDepth = 64
    /// The most folders in one another that are moved to another file system. Each needs two descriptors.
    static let movedDepth = 64
    /// The number of folders of a package that are locked during its save. Each needs three descriptors.
    static let lockedFolders = 64
    /// The largest file that is read to notice a change that its times do not tell, in bytes.
    static let digestBytes = 1 << 24
    /// The most bytes that one save of a package reads into memory, so that an undo can bring back the files that it removes.
    static let undoBytes = 1 << 26
    /// The number of steps that can be undone.
    public static let undoSteps = 1_000
}
