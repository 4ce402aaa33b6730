// The routes for pictures, versions and conflicts.
// SPDX-License-Identifier: Apache-2.0

internal import GroceryModel
internal import Metadata
internal import NIOCore
internal import NIOHTTP1
internal import Varlink

extension PageRouter {
    // MARK: Pictures

    /// The picture of an item. A browser asks again each time, and gets it only if it has changed.
    func picture(of id: ItemIdentifier, _ request: PageRequest) async throws -> PageResponse {
        guard let bytes = try await list.picture(of: id) else {
            throw PageError(.notFound, "noPicture", "this item has no picture")
        }
        let tag = "\"\(String(FNV1a.value(of: bytes), radix: 16))-\(bytes.count)\""
        let headers: HTTPHeaders = ["ETag": tag, "Cache-Control": "private, no-cache"]
        guard !request.hasVersion(tag) else { return PageResponse(.notModified, headers: headers) }
        var response = PageResponse(.ok, headers: headers, body: ByteBuffer(bytes: bytes))
        // A file of another kind is never shown, since it might hold a script.
        let type = PictureType(bytes)
        response.headers.add(name: "Content-Type", value: type?.rawValue ?? "application/octet-stream")
        response.headers.add(name: "Content-Security-Policy", value: "default-src 'none'; sandbox")
        if type == nil { response.headers.add(name: "Content-Disposition", value: "attachment") }
        return response
    }

    func setPicture(_ body: ByteBuffer, of id: ItemIdentifier, _ change: String?) async throws -> PageResponse {
        guard change.map(PageBody.isChange) ?? true else { throw PageError.incomplete("change") }
        let bytes = Array(body.readableBytesView)
        guard PictureType(bytes) != nil else {
            throw PageError(.unprocessableEntity, "notAPicture", "the body is no picture that browsers show")
        }
        return try await changes.answer(change) {
            try await now(id)
        } make: {
            try await list.setPicture(bytes, of: id)
            return try await contents(of: id)
        }
    }

    func removePicture(of id: ItemIdentifier, _ body: PageBody) async throws -> PageResponse {
        try await changes.answer(body.change) {
            try await now(id)
        } make: {
            try await list.setPicture(nil, of: id)
            return try await contents(of: id)
        }
    }

    // MARK: Conflicts

    func versions(of id: ItemIdentifier) async throws -> PageResponse {
        let versions = try await list.pageVersions(of: id)
        return .json { writer in
            writer.beginObject()
            writer.field("id", id.text)
            writer.key("versions")
            writer.beginArray()
            for version in versions { writer.version(version) }
            writer.endArray()
            writer.endObject()
        }
    }

    func resolve(_ id: ItemIdentifier, _ body: PageBody) async throws -> PageResponse {
        try await changes.answer(body.change) {
            try await now(id)
        } make: {
            switch body.keep {
            case "both": try await list.resolve(id, by: .both)
            case "version":
                guard let name = body.version else { throw PageError.incomplete("version") }
                try await list.resolve(id, by: .version(name))
            case "merged":
                guard let mine = body.mine else { throw PageError.incomplete("mine") }
                try await list.resolve(id, by: .merged(mine.applied(to: try await list.contents(of: id))))
            default: throw PageError.incomplete("keep")
            }
            return try await contents(of: id)
        }
    }
}
