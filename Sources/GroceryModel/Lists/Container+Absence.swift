// Lists whose container is away.
// SPDX-License-Identifier: Apache-2.0

internal import GatherDocuments

extension Container {
    /// Returns the reason for which the container is away, as a sentence without a full stop; nil if it is here. If the daemon cannot be
    /// asked, the directory decides.
    func absence() async -> String? {
        let status = try? await status()
        let isHere = FileSystem.hasDirectory(self)
        guard !isHere || status?.state == .unavailable else { return nil }
        let since = status?.since.map { " since \($0.localText)" } ?? ""
        let reason = isHere ? status?.reason : nil
        return "the list is away\(since): \(data) \(reason.map { "cannot be used (\($0))" } ?? "is missing")"
    }

    /// Refuses a container that is away.
    func requirePresent() async throws {
        if let absence = await absence() { throw GroceryError(.away, absence) }
    }
}
