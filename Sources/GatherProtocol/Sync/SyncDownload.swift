// io.gatherd.Sync.Download as it travels.
// SPDX-License-Identifier: Apache-2.0

/// How much of an item is on this machine.
package enum SyncDownload: String, OpenEnumeration {
    case notDownloaded
    /// A version that is not the newest.
    case downloaded
    /// The newest version that is known.
    case current
    /// A value that is not known here.
    case other
}
