// The version of this build.
// SPDX-License-Identifier: Apache-2.0

/// The version of the helper.
package enum SyncVersion {
    package static let current = "0.1.0"
}
