// The changes of a folder on their way into Syncthing's database.
// SPDX-License-Identifier: Apache-2.0

/// Decides how each change of a folder gets into Syncthing's database. Most are scanned. Those that Syncthing may have made itself are
/// compared with its database, and scanned only if they differ. One scan and one comparison run at a time.
struct ScanQueue {
    /// The time of an event. Only differences count.
    typealias Moment = ContinuousClock.Instant

    /// A scan to be run. It is given back to ``end(_:)``.
    struct Scan: Sendable {
        /// The parts to be scanned; nil stands for all of the folder.
        let parts: [String]?
        /// The paths that have changed, which the parts cover.
        let paths: Set<String>
        /// The number of the feed's reply up to which the database has everything afterwards.
        let through: Int
    }

    /// The paths that changed and are to be scanned.
    private var pending: Set<String> = []
    private var isWholePending = true
    /// The paths that changed before the present scan; nil if none runs. While scans are held back, it is empty.
    private var underWay: Set<String>?
    /// Everything in the feed up to this number is in Syncthing's database.
    private var through = 0
    /// The paths that Syncthing wrote, or is about to, with the time of its last event.
    private var ownWrites: [String: Moment] = [:]
    /// Changes of such paths that Syncthing's database may have already.
    private var unverified: [String: FeedChange] = [:]
    private var isVerifying = false

    // MARK: Changes

    /// Notes paths that are to be scanned.
    mutating func add(_ parts: some Sequence<String>) { pending.formUnion(parts) }

    /// Notes that all of the folder is to be scanned.
    mutating func addAll() { isWholePending = true }

    /// Notes a change that gatherd reported. Returns whether it is to be scanned: else a comparison decides.
    mutating func add(_ part: String, _ change: FeedChange) -> Bool {
        // A directory that comes where one was removed is in Syncthing's database until the scan of that has ended.
        let isAgain = pending.contains(part) || underWay?.contains(part) == true
        if change.isDirectory && !isAgain || ownWrites[part] != nil {
            unverified[part] = change
            return false
        }
        pending.insert(part)
        return true
    }

    /// Notes that Syncthing wrote a path, or is about to. If there are too many, all are forgotten, and their changes
    /// are scanned.
    mutating func note(ownWrite part: String, at now: Moment) {
        if ownWrites.count >= SyncLimits.ownWrites { ownWrites.removeAll() }
        ownWrites[part] = now
    }

    // MARK: Scans

    /// Whether a scan runs, or one of all of the folder waits.
    var isUnsettled: Bool { isWholePending || underWay != nil }

    /// Returns the number of the feed's reply up to which the database has everything. `sequence` is that of the last reply.
    func confirmed(of sequence: Int) -> Int {
        pending.isEmpty && !isWholePending && underWay == nil && unverified.isEmpty ? sequence : through
    }

    /// Begins a scan of all that is pending; nil if there is nothing, or another scan runs. `sequence` is the number of the feed's last
    /// reply. Changes during the scan go into the next one.
    mutating func begin(at sequence: Int) -> Scan? {
        guard underWay == nil, isWholePending || !pending.isEmpty else { return nil }
        let parts =
            isWholePending
            ? nil : ScanParts.covering(pending, or: Set(unverified.filter(\.value.isDirectory).keys))
        let scan = Scan(parts: parts, paths: pending, through: unverified.isEmpty ? sequence : through)
        underWay = pending
        pending.removeAll()
        isWholePending = false
        return scan
    }

    /// Notes that a scan has ended.
    mutating func end(_ scan: Scan) {
        underWay = nil
        through = max(through, scan.through)
    }

    /// Holds scans back until ``release()``. Returns false while a scan runs, which is not interrupted.
    mutating func hold() -> Bool {
        if underWay != nil { return false }
        underWay = []
        return true
    }

    /// Allows scans again.
    mutating func release() { underWay = nil }

    // MARK: Comparisons

    /// Begins a comparison of changes with Syncthing's database. Returns those to be compared: none if another
    /// comparison runs, or if all wait for the database. If there are too many, only directories are compared. The
    /// others become pending, and `isScanDue` is true.
    mutating func beginVerifying(
        at now: Moment, isBeingWritten: (String) -> Bool
    ) -> (changes: [String: FeedChange], isScanDue: Bool) {
        guard !isVerifying, !unverified.isEmpty else { return ([:], false) }
        // Until Syncthing has written its database, a comparison would fail.
        var compared = unverified.filter { part, _ in
            !isBeingWritten(part) || ownWrites[part].map { now - $0 > SyncLimits.ownWriteTime } ?? false
        }
        let areTooMany = compared.count > SyncLimits.comparedPaths
        if areTooMany {
            scanInstead(compared.filter { !$0.value.isDirectory })
            // The others have their turn after these.
            let directories = compared.filter(\.value.isDirectory).prefix(SyncLimits.comparedPaths)
            compared = Dictionary(uniqueKeysWithValues: directories.map { ($0.key, $0.value) })
        }
        isVerifying = !compared.isEmpty
        return (compared, areTooMany)
    }

    /// Ends a comparison. Those that the database does not know become pending. One that has changed again stays to be compared.
    mutating func endVerifying(_ changes: [String: FeedChange], unknown: [String: FeedChange]) {
        isVerifying = false
        for (part, change) in changes where unverified[part] == change {
            ownWrites[part] = nil
            unverified[part] = nil
        }
        scanInstead(unknown)
    }

    private mutating func scanInstead(_ changes: [String: FeedChange]) {
        for (part, change) in changes {
            ownWrites[part] = nil
            if unverified[part] == change { unverified[part] = nil }
            pending.insert(part)
        }
    }
}
