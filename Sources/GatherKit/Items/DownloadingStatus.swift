// How much of a shared item is on this device.
// SPDX-License-Identifier: Apache-2.0

/// How much of a shared item is on this device (`NSMetadataUbiquitousItemDownloadingStatusKey`).
public enum DownloadingStatus: String, Sendable, Hashable {
    /// Nothing. Other devices have it.
    case notDownloaded
    /// A version that is not the newest. The newest one is to come.
    case downloaded
    /// The newest version that is known here.
    case current
}
