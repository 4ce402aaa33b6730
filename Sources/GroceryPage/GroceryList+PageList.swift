// The lists of the product.
// SPDX-License-Identifier: Apache-2.0

internal import GatherDocuments
package import GroceryModel

extension GroceryList: PageList {
    package func pageVersions(of id: ItemIdentifier) async throws -> [PageVersion] {
        try await versions(of: id).map {
            PageVersion(
                name: $0.pageName, contents: $0.contents, isCurrent: $0.isCurrent, device: $0.device,
                modified: $0.modified)
        }
    }

    package func resolve(_ id: ItemIdentifier, by resolution: PageResolution) async throws {
        switch resolution {
        case .both: try await resolve(id, keeping: .both)
        case .merged(let contents): try await resolve(id, keeping: .merged(contents))
        case .version(let name):
            guard let version = try await versions(of: id).first(where: { $0.pageName == name }) else {
                throw GroceryError(.changed, "this version is gone")
            }
            try await resolve(id, keeping: .version(version))
        }
    }
}

extension ItemVersion {
    /// The name of its file, which names a version to the page.
    fileprivate var pageName: String { id.split(separator: "/").last.map(String.init) ?? id }
}
