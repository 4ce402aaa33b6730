// The part of a container that a query searches.
// SPDX-License-Identifier: Apache-2.0

/// A part of a container that a query searches.
package enum QueryScope: Sendable, Hashable {
    /// The whole container.
    case whole
    /// Items below the top-level directory `Documents`.
    case documents
    /// All other items, with the directory `Documents` itself.
    case data
    /// Items below the directory at this path from the container's root, at any depth, without the directory itself.
    /// The path has no slash at either end; an empty one is the whole container. The path counts, not the directory: it
    /// may vanish and return, or another may take its place.
    case directory([UInt8])
}
