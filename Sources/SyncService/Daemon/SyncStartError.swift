// The reason why the helper cannot start.
// SPDX-License-Identifier: Apache-2.0

/// The reason why the helper cannot start.
package struct SyncStartError: Error, CustomStringConvertible {
    package var description: String
}
