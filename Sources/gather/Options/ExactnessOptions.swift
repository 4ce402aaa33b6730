// Whether an answer that may be wrong is an error.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherKit

/// `--require-exact`: tells an unknown answer from an empty one by the exit status.
struct ExactnessOptions: ParsableArguments {
    @Flag(
        name: .customLong("require-exact"),
        help: "End with status 3 if the answer may be wrong or is not known in time.")
    var requireExact = false

    /// Says for which containers an answer may be wrong. Throws status 3 if exactness is required.
    func check(_ inexactContainers: [ContainerIdentifier], _ connection: Connection) throws {
        Inexact.note(inexactContainers, connection)
        if requireExact, !inexactContainers.isEmpty { throw ExitCode(ExitStatus.inexact) }
    }

    /// A failure to answer, with status 3 if exactness is required and nothing else is known of the answer.
    func failure(_ failure: Failure) -> Failure {
        guard requireExact, failure.status == ExitStatus.failure else { return failure }
        return Failure(status: ExitStatus.inexact, failure.message)
    }
}
