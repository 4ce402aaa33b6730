// Scans of what changed.
// SPDX-License-Identifier: Apache-2.0

import Logging
import Syncthing

extension ContainerSession {
    /// Starts a scan of what changed in a folder. Changes during a scan go into the next one.
    func startScan(_ index: Int) {
        let folder = folders[index]
        guard !folder.isScanning, folder.isPendingAsWhole || !folder.pending.isEmpty else { return }
        let parts =
            folder.isPendingAsWhole
            ? nil : ScanParts.covering(folder.pending, or: Set(folder.unverified.filter(\.value.isDirectory).keys))
        let through = folder.unverified.isEmpty ? sequence : folder.scanned
        let paths = folder.pending
        folders[index].pending.removeAll()
        folders[index].isPendingAsWhole = false
        folders[index].isScanning = true
        folders[index].scanning = paths
        let (client, name) = (run.client, folder.place.folder)
        logger.debug("scan of \(name): \(parts.map { "\($0.count) parts" } ?? "all")")
        spawn { session in
            try await client.scan(name, parts: parts ?? [])
            await session.scanned(index, paths, isWhole: parts == nil, through: through)
        }
    }

    private func scanned(_ index: Int, _ paths: Set<String>, isWhole: Bool, through: Int) {
        folders[index].isScanning = false
        folders[index].scanning = []
        folders[index].scanned = max(folders[index].scanned, through)
        folders[index].doubtAll()
        folders[index].areErrorsDoubtful = true
        if folders[index].isIgnoring { folders[index].ignoreDoubts.formUnion(paths) }
        startScan(index)
        if isWhole { findSaves(index) }
        wake.yield()
    }

    /// Compares changes that Syncthing may have made itself with its database, and has the others scanned.
    func verify(_ index: Int) {
        let folder = folders[index]
        guard !folder.isVerifying, !folder.unverified.isEmpty else { return }
        let now = ContinuousClock.now
        // Until Syncthing has written its database, a comparison would fail.
        var compared = folder.unverified.filter { part, _ in
            !folder.started.contains(part)
                || now - (folder.ownWrites[part] ?? .now) > SyncLimits.ownWriteTime
        }
        if compared.count > SyncLimits.comparedPaths {
            scanInstead(index, compared.filter { !$0.value.isDirectory })
            // The others have their turn after these.
            let directories = compared.filter(\.value.isDirectory).prefix(SyncLimits.comparedPaths)
            compared = Dictionary(uniqueKeysWithValues: directories.map { ($0.key, $0.value) })
        }
        guard !compared.isEmpty else { return }
        folders[index].isVerifying = true
        let (client, name, ready) = (run.client, folder.place.folder, compared)
        spawn { session in
            var unknown: [String: FeedChange] = [:]
            for (part, change) in ready where !change.isKnown(to: try await client.file(part, of: name)) {
                unknown[part] = change
            }
            await session.verified(index, ready, unknown)
        }
    }

    private func verified(_ index: Int, _ ready: [String: FeedChange], _ unknown: [String: FeedChange]) {
        folders[index].isVerifying = false
        for (part, change) in ready where folders[index].unverified[part] == change {
            folders[index].ownWrites[part] = nil
            folders[index].unverified[part] = nil
        }
        scanInstead(index, unknown)
        verify(index)
        wake.yield()
    }

    private func scanInstead(_ index: Int, _ changes: [String: FeedChange]) {
        for (part, change) in changes {
            folders[index].ownWrites[part] = nil
            if folders[index].unverified[part] == change { folders[index].unverified[part] = nil }
            folders[index].pending.insert(part)
        }
        startScan(index)
    }

    /// Reads the ignore patterns of a folder, and which files are evicted, here and elsewhere. Returns whether the patterns differ
    /// from those that were read before.
    func readPatterns(_ index: Int) async throws(SyncthingError) -> Bool {
        let place = folders[index].place
        // The pattern that leaves a part to another folder ignores nothing that is asked about.
        let inner = Set(folders.compactMap { place.part(of: $0.place.prefix).map { "/" + $0 } })
        let lines = try await readEvicted(index)
        if !folders[index].knowsEvicted {
            readEvictedElsewhere(index)
            folders[index].knowsEvicted = true
        }
        let patterns = IgnorePatterns.effective(lines.others).filter { !inner.contains($0) }
        guard patterns != folders[index].patterns else { return false }
        folders[index].patterns = patterns
        return true
    }
}
