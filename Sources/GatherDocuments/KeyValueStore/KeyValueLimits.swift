// The limits of a key-value store.
// SPDX-License-Identifier: Apache-2.0

/// The limits of a ``KeyValueStore``.
public enum KeyValueLimits {
    /// The most bytes of all values together, as ``KeyValue/byteCount`` counts them. Keys do not count.
    public static let largestContents = 1 << 20
    /// The most keys.
    public static let mostKeys = 1_024
    /// The longest key, in bytes of UTF-8.
    public static let longestKey = 64
    /// The most arrays and dictionaries around a value.
    public static let deepestNesting = 32
    /// The time from a change to its writing without ``KeyValueStore/synchronize()``. Changes within it are written together.
    public static let autosaveDelay = Duration.milliseconds(500)
    /// The time until a failed writing is repeated, if nothing is set before.
    public static let retryDelay = Duration.seconds(10)
    /// The time by which a clock follows clocks of other devices that are ahead of it, in milliseconds. A device whose clock
    /// is further ahead affects only the keys that it sets.
    public static let longestLead: Int64 = 3_600_000

    /// The largest file that is read or written, in bytes. Escaped, the largest contents have four times their size. Contents that
    /// several devices merged to, and that one of them folded in, may have more.
    static let largestFile = 64 << 20
    /// The most files of one device: its processes that write at the same time.
    static let mostSlots = 256
    /// The most removed keys that a file remembers. The oldest go first.
    static let mostTombstones = 4_096
    /// The latest time in a stamp, in milliseconds since 1970: the end of the year 9999.
    static let latestTime: Int64 = 253_402_300_799_999
    /// The largest counter in a stamp. Each change of a key adds at most one, so no store counts that far.
    static let largestCounter: Int64 = 1 << 53
    /// The most problems that are kept for ``KeyValueStore/problems``.
    static let mostProblems = 64
}
