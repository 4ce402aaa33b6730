// Scans of changed files.
// SPDX-License-Identifier: Apache-2.0

import Logging
import Syncthing

extension ContainerSession {
    /// Starts a scan of the changes in a folder. Changes during a scan go into the next one.
    func startScan(_ index: Int) {
        guard let scan = folders[index].scans.begin(at: feed.sequence) else { return }
        let (client, name) = (run.client, folders[index].place.folder)
        logger.debug("scan of \(name): \(scan.parts.map { "\($0.count) parts" } ?? "all")")
        spawn { session in
            try await client.scan(name, parts: scan.parts ?? [])
            await session.ended(scan, index)
        }
    }

    private func ended(_ scan: ScanQueue.Scan, _ index: Int) {
        folders[index].scans.end(scan)
        folders[index].doubtAll()
        folders[index].downloads.doubtErrors()
        folders[index].unshared.doubt(scan.paths)
        startScan(index)
        if scan.parts == nil { findSaves(index) }
        signals.wake()
    }

    /// Compares changes that Syncthing may have made itself with its database, and has the others scanned.
    func verify(_ index: Int) {
        let downloads = folders[index].downloads
        let (changes, isScanDue) = folders[index].scans.beginVerifying(at: .now, isBeingWritten: downloads.isStarted)
        if isScanDue { startScan(index) }
        guard !changes.isEmpty else { return }
        let (client, name) = (run.client, folders[index].place.folder)
        spawn { session in
            var unknown: [String: FeedChange] = [:]
            for (part, change) in changes where !change.isKnown(to: try await client.file(part, of: name)) {
                unknown[part] = change
            }
            await session.verified(changes, unknown, index)
        }
    }

    private func verified(_ changes: [String: FeedChange], _ unknown: [String: FeedChange], _ index: Int) {
        folders[index].scans.endVerifying(changes, unknown: unknown)
        startScan(index)
        verify(index)
        signals.wake()
    }
}
