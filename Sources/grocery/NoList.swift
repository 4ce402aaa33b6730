// The error where a list cannot be there yet.
// SPDX-License-Identifier: Apache-2.0

internal import GatherDocuments

/// No daemon answers, or it has no container for the list. ``FirstList`` makes both.
struct NoList: Error {
    /// The reason, without a full stop.
    let reason: String
    private let advice: String
    private let status: Int32

    /// Returns nil for an error of another kind.
    init?(_ error: GatherError, _ options: ListOptions) {
        switch error.code {
        case .noSuchContainer:
            reason = "there is no container '\(options.identifier)'"
            status = 1
        case .unreachable:
            reason = error.message
            status = 69
        default: return nil
        }
        advice = "For a first list: grocery init\(options.words)"
    }

    var problem: Problem { Problem("\(reason). \(advice)", status: status) }
}
