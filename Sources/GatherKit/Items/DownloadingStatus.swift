// How much of a shared item is on this device.
// SPDX-License-Identifier: Apache-2.0

/// How much of a shared item is on this device (`NSMetadataUbiquitousItemDownloadingStatusKey`).
public struct DownloadingStatus: RawRepresentable, Sendable, Hashable {
    /// The name of the status, as predicates have it.
    public let rawValue: String

    /// Makes a status from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Nothing. Other devices have it.
    public static let notDownloaded = DownloadingStatus(rawValue: "notDownloaded")
    /// A version that is not the newest. The newest one is to come.
    public static let downloaded = DownloadingStatus(rawValue: "downloaded")
    /// The newest version that is known here.
    public static let current = DownloadingStatus(rawValue: "current")
}
