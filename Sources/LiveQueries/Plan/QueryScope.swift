// Where in a container a query looks.
// SPDX-License-Identifier: Apache-2.0

/// A part of a container that a query looks at.
package enum QueryScope: Sendable, Hashable {
    /// Everything.
    case whole
    /// What lies below the top-level directory `Documents`.
    case documents
    /// Everything else; the directory `Documents` itself is here.
    case data
    /// What lies below the directory at this path from the container's root, however deep; the directory itself does not
    /// lie below itself. The path has no slash at either end; an empty one is the whole container. It is the path that
    /// counts, not the directory: that may vanish and come back, or another may take its place.
    case directory([UInt8])
}
