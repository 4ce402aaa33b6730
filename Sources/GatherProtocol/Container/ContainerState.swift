// io.gatherd.Container.State as it travels.
// SPDX-License-Identifier: Apache-2.0

/// How well the daemon knows a container.
package enum ContainerState: String, OpenEnumeration {
    /// Being read for the first time.
    case crawling
    /// Known from before and being compared.
    case verifying
    /// Exact: every change is seen as it happens.
    case live
    /// Part of the tree is polled.
    case degraded
    /// The directory is missing or unreadable.
    case unavailable
    /// A value that is not known here.
    case other
}
