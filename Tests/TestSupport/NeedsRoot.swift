// The mark of tests that need root.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import Testing

extension Trait where Self == ConditionTrait {
    /// Marks a test or a suite that needs root, and says for which reason. All others are tests of what a user can do, and run as an
    /// ordinary user in the gate. `Packaging/dev/run-tests` knows the mark by the words "needs root" in the reason for which the
    /// test is skipped. `GATHER_TEST_TRY_ROOT` has such tests run for anybody.
    ///
    /// - Parameters:
    ///   - why: The thing that only root has or may do, such as "mounts".
    ///   - isPossible: Whether this machine has what the test takes beside root. It is asked for root alone.
    package static func needsRoot(
        _ why: String, if isPossible: @escaping @autoclosure @Sendable () throws -> Bool = true
    ) -> Self {
        .enabled("needs root: \(why)") {
            if getenv("GATHER_TEST_TRY_ROOT") != nil { return true }
            return try geteuid() == 0 && isPossible()
        }
    }
}
