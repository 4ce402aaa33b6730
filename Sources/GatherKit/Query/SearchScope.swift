// The places that a query searches.
// SPDX-License-Identifier: Apache-2.0

/// A place to search. Several scopes are a union. Without a scope, a query searches every container that the caller may
/// read.
public enum SearchScope: Sendable, Hashable {
    /// Everything in a container.
    case container(String)
    /// Everything in a container's `Documents` folder.
    case documents(ofContainer: String)
    /// Everything else in a container.
    case data(ofContainer: String)
    /// Everything below an absolute directory inside a container.
    case directory(String)

    /// The text of the scope for the daemon.
    var wireText: String {
        switch self {
        case .container(let identifier): identifier
        case .documents(let identifier): identifier + "/Documents"
        case .data(let identifier): identifier + "/Data"
        case .directory(let path): path
        }
    }
}
