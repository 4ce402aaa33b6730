// An error of this program, and the exit status of each error.
// SPDX-License-Identifier: Apache-2.0

internal import GatherDocuments
internal import GroceryModel

/// An error that the user can correct, with its message and the exit status.
struct Problem: Error {
    let message: String
    var status: Int32 = 1

    init(_ message: String, status: Int32 = 1) {
        self.message = message
        self.status = status
    }

    /// Returns the problem that an error of a list, a document or the daemon is; nil for another error. A daemon that cannot be
    /// reached is EX_UNAVAILABLE of sysexits(3), one that does not answer EX_TEMPFAIL, and a name that cannot be EX_USAGE.
    static func of(_ error: any Error) -> Problem? {
        switch error {
        case let problem as Problem: problem
        case let lack as NoList: lack.problem
        case let error as GroceryError: Problem(error.message, status: status(error.code))
        case let error as FileSystem.Failure: Problem(error.description)
        case let error as GatherError:
            Problem(error.message, status: error.code == .unreachable ? 69 : error.code == .notAnswering ? 75 : 1)
        case let error as DocumentError: Problem(error.message)
        default: nil
        }
    }

    /// A list that is away has the status of an answer that is not known, as gather(1) has it.
    private static func status(_ code: GroceryError.Code) -> Int32 {
        switch code {
        case .invalid: 64
        case .away: 3
        default: 1
        }
    }
}
