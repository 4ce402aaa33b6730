// The progress of evictions and downloads.
// SPDX-License-Identifier: Apache-2.0

/// An item whose copy here was freed.
public struct EvictedItem: Sendable, Hashable {
    /// The absolute path.
    public let path: String
    /// The bytes that were freed.
    public let bytes: Int
}

/// The progress of a download.
public struct DownloadProgress: Sendable, Hashable {
    /// The absolute path of an item that is being brought back.
    public let path: String
    /// The bytes of all items that are here.
    public let done: Int
    /// The bytes of all items.
    public let total: Int
}
