// From the scopes that a caller names to parts of containers.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import GatherProtocol
import LiveQueries
import Metadata

/// The part of one container that a question looks at.
struct ScopedContainer {
    let record: ContainerRecord
    var scopes: [QueryScope]
}

/// Finds the parts of containers that scopes name.
struct ScopeResolver {
    let containers: ContainerSet
    let access: AccessControl
    /// Returns the path of a container's directory without symbolic links, as of now; nil if it is not known.
    let resolvedPath: (UInt32) -> String?

    /// Where a question looks: container identifiers, identifiers followed by `/Documents` or `/Data`, or absolute
    /// directories inside a container, as paths or as URIs (``ScopePath``). Nil means every container.
    ///
    /// Where a container's path has symbolic links in it, a directory may be named by that path or by the one to which they
    /// lead. Other links are for the caller to follow, with the caller's own rights.
    ///
    /// - Throws: `UnknownScope` for a text that is none of these, and for a scope that the caller may not see.
    func resolve(_ scopes: [String]?, for caller: Credentials?) throws(QueryError) -> [ScopedContainer] {
        guard let scopes else {
            return containers.filter { access.isOpen($0, for: caller) }
                .map { ScopedContainer(record: $0, scopes: [.whole]) }
        }
        guard scopes.count <= Limits.scopes else {
            throw .limitExceeded(limit: "scopes", value: Int64(Limits.scopes))
        }
        guard scopes.reduce(0, { $0 + $1.utf8.count }) <= Limits.scopeBytes else {
            throw .limitExceeded(limit: "scopeBytes", value: Int64(Limits.scopeBytes))
        }
        var resolved: [ScopedContainer] = []
        for text in scopes {
            guard let (record, scope) = resolve(text, for: caller) else {
                throw .unknownScope(text, containers: containers(below: text, for: caller))
            }
            if let place = resolved.firstIndex(where: { $0.record === record }) {
                resolved[place].scopes.append(scope)
            } else {
                resolved.append(ScopedContainer(record: record, scopes: [scope]))
            }
        }
        return resolved
    }

    /// The part of one container that a question looks at, nil if it does not look there.
    func scopes(of texts: [String]?, in record: ContainerRecord) -> ScopedContainer? {
        guard let texts else { return ScopedContainer(record: record, scopes: [.whole]) }
        let scopes = texts.compactMap { text in resolve(text, for: nil).flatMap { $0.0 === record ? $0.1 : nil } }
        return scopes.isEmpty ? nil : ScopedContainer(record: record, scopes: scopes)
    }

    /// Returns the identifiers of some containers below a directory that the caller may list.
    private func containers(below text: String, for caller: Credentials?) -> [String] {
        guard let path = ScopePath(text)?.bytes else { return [] }
        let directory = String(decoding: path, as: UTF8.self)
        let below = containers.lazy.filter { record in
            ScopePath.holds(directory, Array(record.resolvedPath.utf8)) && access.isListed(record, for: caller)
        }
        return below.prefix(Limits.containersReported).map(\.identifier)
    }

    private func resolve(_ text: String, for caller: Credentials?) -> (ContainerRecord, QueryScope)? {
        guard text.hasPrefix("/") || text.hasPrefix(ScopePath.scheme) else {
            let parts = text.split(separator: "/", omittingEmptySubsequences: false)
            guard let first = parts.first, let record = containers.named(String(first)),
                access.isListed(record, for: caller)
            else { return nil }
            switch parts.count == 1 ? "" : parts.dropFirst().joined(separator: "/") {
            case "": return (record, .whole)
            case "Documents": return (record, .documents)
            case "Data": return (record, .data)
            default: return nil
            }
        }
        guard let path = ScopePath(text)?.bytes else { return nil }
        // The innermost container wins: one may lie on a file system mounted inside another.
        var innermost: (record: ContainerRecord, root: String)?
        for record in containers {
            let roots = [record.configuration.path, resolvedPath(record.number) ?? record.resolvedPath]
            for root in roots
            where root.utf8.count > innermost?.root.utf8.count ?? 0 && ScopePath.holds(root, path)
                && access.isOpen(record, for: caller)
            {
                innermost = (record, root)
            }
        }
        guard let (record, root) = innermost else { return nil }
        let relative = path.dropFirst(root == "/" ? 1 : root.utf8.count + 1)
        return (record, relative.isEmpty ? .whole : .directory(Array(relative)))
    }
}
