// The name and version of this build.
// SPDX-License-Identifier: Apache-2.0

/// The version of the daemon and its clients.
package enum Version {
    package static let current = "0.1.0"
    package static let vendor = "Gather"
    package static let url = "https://gatherd.io"
}
