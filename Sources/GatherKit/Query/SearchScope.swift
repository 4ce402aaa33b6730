// Where a query looks.
// SPDX-License-Identifier: Apache-2.0

/// Where a query looks. Several scopes are a union; none at all means every container that the caller may read.
public enum SearchScope: Sendable, Hashable {
    /// Everything in a container.
    case container(String)
    /// What lies under a container's `Documents` folder.
    case documents(ofContainer: String)
    /// What lies elsewhere in a container.
    case data(ofContainer: String)
    /// An absolute directory inside a container, and all that lies below.
    case directory(String)

    /// The scope as the daemon reads it.
    var wireText: String {
        switch self {
        case .container(let identifier): identifier
        case .documents(let identifier): identifier + "/Documents"
        case .data(let identifier): identifier + "/Data"
        case .directory(let path): path
        }
    }
}
