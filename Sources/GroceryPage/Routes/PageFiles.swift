// The files of the page, which are inside the program.
// SPDX-License-Identifier: Apache-2.0

internal import Metadata
internal import NIOCore
internal import NIOHTTP1

/// The page and its service worker with their header fields. They have no data of the list and are the same for all.
struct PageFiles: Sendable {
    /// A number that differs between versions of the page.
    let version: String
    private let page: ByteBuffer
    private let worker: ByteBuffer
    private let policy: String
    private let tag: String

    /// The place of the nonce and of the version in the page.
    private static let noncePlace = "@NONCE@"
    private static let versionPlace = "@VERSION@"

    init() {
        let (text, script) = (PackageResources.page_html, PackageResources.sw_js)
        version = String(FNV1a.value(of: text + script), radix: 16)
        // The script runs only with this value, so markup that slips into the page cannot run. The browser keeps the page
        // together with its header, and the tag changes with the value.
        let nonce = PageToken.random().text
        page = PageFiles.filled(text, [(PageFiles.noncePlace, nonce), (PageFiles.versionPlace, version)])
        worker = PageFiles.filled(script, [(PageFiles.versionPlace, version)])
        tag = "\"\(version)-\(nonce.prefix(8))\""
        policy = [
            "default-src 'none'", "script-src 'nonce-\(nonce)'", "style-src 'nonce-\(nonce)'",
            "img-src 'self' blob: data:", "connect-src 'self'", "worker-src 'self'", "manifest-src 'self'",
            "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "trusted-types page",
            "require-trusted-types-for 'script'",
        ].joined(separator: "; ")
    }

    /// The answer with the page. A browser may show its copy when the server cannot be reached (RFC 5861).
    func page(for request: PageRequest) -> PageResponse {
        let headers: HTTPHeaders = [
            "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": policy, "ETag": tag,
            "Cache-Control": "private, max-age=0, stale-while-revalidate=2592000, stale-if-error=2592000",
        ]
        guard !request.hasVersion(tag) else {
            return PageResponse(.notModified, headers: ["ETag": tag, "Cache-Control": headers["Cache-Control"][0]])
        }
        return PageResponse(.ok, headers: headers, body: page)
    }

    /// The answer with the service worker, which keeps the page for use without network.
    var serviceWorker: PageResponse {
        PageResponse(
            .ok,
            headers: [
                "Content-Type": "text/javascript; charset=utf-8", "Cache-Control": "no-cache",
                "Content-Security-Policy": "default-src 'none'; connect-src 'self'",
            ], body: worker)
    }

    /// The description of the page as an application for the home screen.
    static let manifest = PageResponse(
        .ok, headers: ["Content-Type": "application/manifest+json", "Cache-Control": "max-age=86400"],
        body: ByteBuffer(bytes: PackageResources.manifest_json))

    /// The icon of the page.
    static let icon = PageResponse(
        .ok,
        headers: [
            "Content-Type": "image/svg+xml", "Cache-Control": "max-age=86400",
            "Content-Security-Policy": "default-src 'none'",
        ], body: ByteBuffer(bytes: PackageResources.icon_svg))

    /// Replaces places in a text by values.
    private static func filled(_ text: [UInt8], _ values: [(String, String)]) -> ByteBuffer {
        var result: [UInt8] = []
        var rest = text[...]
        while let byte = rest.first {
            let value = byte == UInt8(ascii: "@") ? values.first(where: { rest.starts(with: $0.0.utf8) }) : nil
            if let (place, value) = value {
                result += value.utf8
                rest = rest.dropFirst(place.utf8.count)
            } else {
                result.append(byte)
                rest = rest.dropFirst()
            }
        }
        return ByteBuffer(bytes: result)
    }
}
