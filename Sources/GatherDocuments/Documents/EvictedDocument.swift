// Bringing a document back whose contents are on other devices only.
// SPDX-License-Identifier: Apache-2.0

internal import Metadata

/// A document that `gather evict` may have freed: the file is not here, or files in the package are not. gatherd knows what is
/// missing, and the sharing helper brings it back.
struct EvictedDocument: Sendable {
    let location: FilePath
    /// Files inside are looked for, too.
    let isPackage: Bool
    let options: DocumentOptions

    /// Downloads the missing file at a path that ``missingPath()`` returned.
    ///
    /// - Throws: ``DocumentError/Code/notDownloaded`` if the contents cannot be had now.
    func download(_ path: String, _ progress: DocumentProgress) async throws(DocumentError) {
        progress.begin(0)
        let client = SharingClient(daemon: options.daemon)
        let failure = await withTaskGroup(of: String?.self) { group in
            group.addTask {
                do throws(GatherError) {
                    try await client.download([path]) { progress.report($0.done, of: $0.total) }
                    return nil
                } catch {
                    return error.message
                }
            }
            group.addTask { await silence(progress) }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        guard let failure else { return }
        throw DocumentError(
            code: .notDownloaded,
            message: "cannot open \(text): its contents are on other devices only, and cannot be downloaded: "
                + failure,
            path: text)
    }

    /// The pauses between two looks at the progress, as parts of the timeout.
    private static let looks = 8

    /// Returns after a time in which nothing came. The helper itself waits for ever, and goes on without this document.
    private func silence(_ progress: DocumentProgress) async -> String? {
        var (last, since) = (progress.completed, ContinuousClock.now)
        while ContinuousClock.now - since < options.downloadTimeout {
            do { try await Task.sleep(for: options.downloadTimeout / Self.looks) } catch { return "it was cancelled" }
            if progress.completed != last { (last, since) = (progress.completed, .now) }
        }
        return "nothing has come for \(options.downloadTimeout)"
    }

    private var text: String { location.string }

    /// Returns the path without symbolic links in its directories, if gatherd knows that contents are missing here. Without a
    /// daemon that answers in time, nothing is known to be missing.
    func missingPath() async throws(DocumentError) -> String? {
        let place = try DocumentPath(location)
        let directory = isPackage ? place.bytes : place.folder
        let resolved = try? await BlockingWork.run { () throws(DocumentError) in
            try PathEntry.resolved(folder: directory)
        }
        // Syncthing carries no name that is not UTF-8.
        guard let resolved,
            let path = String(validating: isPackage ? resolved : DocumentPath.join(resolved, place.name), as: UTF8.self)
        else { return nil }
        let absent = "downloadingStatus == 'notDownloaded' AND \(FollowLoop.anywhere)"
        let search = (
            predicate: isPackage
                ? absent
                : "name == \(PredicateText.literal(String(decoding: place.name, as: UTF8.self))) AND \(absent)",
            // gatherd takes no relative path, and follows no symbolic links.
            scope: SearchScope.directory(FilePath(bytes: resolved))
        )
        let client = GatherClient(daemon: options.daemon)
        let items = await FollowLoop.answer(within: options.daemonTimeout) {
            try? await client.find(
                search.predicate, scopes: [search.scope], attributes: [.path], limit: isPackage ? 1 : nil,
                // Evicted items are known at once; a container that is being read would take its time.
                freshness: .asKnown
            ).items
        }
        guard let items, !items.isEmpty else { return nil }
        if isPackage { return path }
        // Another file of this name may lie in a folder below.
        let isHere = try await BlockingWork.run { () throws(DocumentError) -> Bool in
            let folder = try Folder(place.folder)
            for item in items {
                guard let bytes = item.pathBytes, let above = try? DocumentPath(bytes).folder,
                    let other = try? Folder(above), try folder.isSame(as: other)
                else { continue }
                return true
            }
            return false
        }
        return isHere ? path : nil
    }
}
