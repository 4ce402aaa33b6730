// The routes of the server.
// SPDX-License-Identifier: Apache-2.0

internal import GroceryModel
internal import NIOCore
internal import NIOHTTP1
internal import Varlink

/// Finds the answer to each request.
struct PageRouter: Sendable {
    private(set) var list: any PageList
    private(set) var access: PageAccess
    let limits: PageLimits
    let events: EventHub
    let files: PageFiles
    let changes: DoneChanges

    init(list: any PageList, access: PageAccess, limits: PageLimits) {
        self.list = list
        self.access = access
        self.limits = limits
        files = PageFiles()
        events = EventHub(list: list, version: files.version, limit: limits.eventStreams)
        changes = DoneChanges(limit: limits.rememberedBytes)
    }

    /// Returns the routes of the port that the kernel has chosen.
    func listening(on port: Int?) -> PageRouter {
        var router = self
        if let port { router.access.port = port }
        return router
    }

    /// The addresses.
    enum Route: Sendable, Hashable {
        case page, serviceWorker, manifest, icon, session, events, items, allContents, undo, removal
        case item(ItemIdentifier), picture(ItemIdentifier), versions(ItemIdentifier), resolution(ItemIdentifier)

        /// Whether it has no data of the list, so that it needs no secret.
        var isPublic: Bool { [.page, .serviceWorker, .manifest, .icon, .session].contains(self) }

        var methods: [HTTPMethod] {
            switch self {
            case .page, .serviceWorker, .manifest, .icon: [.GET, .HEAD]
            case .events, .allContents, .versions: [.GET]
            case .undo: [.GET, .POST]
            case .session, .removal, .resolution: [.POST]
            case .items: [.GET, .POST]
            case .item: [.GET, .PUT]
            case .picture: [.GET, .PUT, .DELETE]
            }
        }
    }

    // MARK: By the header

    /// Returns the error that the header of a request alone causes, or nil.
    func refusal(of request: PageRequest) -> PageError? {
        let route = route(request.path)
        if let error = access.refusal(request.head, isPage: route == .page) { return error }
        guard let route else { return .noSuchPath }
        guard route.isPublic || access.isAuthorized(request.head) else { return .noToken }
        guard route.methods.contains(request.method) else {
            return PageError(
                .methodNotAllowed, "methodNotAllowed", "this address has no \(request.method.rawValue)",
                allowed: route.methods)
        }
        switch request.method {
        case .GET, .HEAD: return nil
        case .PUT where isPicture(route):
            let types = PictureType.allCases.map(\.rawValue)
            guard let type = request.contentType, types.contains(type) else {
                return PageError(
                    .unsupportedMediaType, "needsPicture", "a picture is one of \(types.joined(separator: ", "))")
            }
            return nil
        // A form of another site cannot send this type (Fetch Standard, "CORS-safelisted request-header").
        default: return request.contentType == "application/json" ? nil : .needsJSON
        }
    }

    /// The most bytes of a request's body.
    func bodyLimit(of request: PageRequest) -> Int {
        switch request.method {
        case .GET, .HEAD: 0
        default:
            switch route(request.path) {
            case .session: limits.sessionBytes
            case .picture where request.method == .PUT: limits.pictureBytes
            default: limits.jsonBytes
            }
        }
    }

    private func isPicture(_ route: Route) -> Bool { if case .picture = route { true } else { false } }

    private func route(_ path: [String]) -> Route? {
        switch path {
        case []: return .page
        case ["sw.js"]: return .serviceWorker
        case ["manifest.webmanifest"]: return .manifest
        case ["icon.svg"]: return .icon
        case ["events"]: return .events
        case ["api", "session"]: return .session
        case ["api", "items"]: return .items
        case ["api", "contents"]: return .allContents
        case ["api", "undo"]: return .undo
        case ["api", "remove"]: return .removal
        default: break
        }
        guard path.count >= 3, path[0] == "api", path[1] == "items", let id = ItemIdentifier(text: path[2]) else {
            return nil
        }
        switch path[3...] {
        case []: return .item(id)
        case ["picture"]: return .picture(id)
        case ["versions"]: return .versions(id)
        case ["resolve"]: return .resolution(id)
        default: return nil
        }
    }

    // MARK: Answers

    /// Answers a request whose header was accepted. Errors become answers.
    func answer(_ request: PageRequest) async -> PageResponse {
        do {
            return try await made(by: request.browser).response(to: request)
        } catch {
            return PageResponse(PageError(error))
        }
    }

    /// Returns the router for the changes of a browser. Those that tell no identifier share one, which is not the user of the server.
    private func made(by browser: String?) -> PageRouter {
        var router = self
        router.list = list.changed(by: browser ?? "unnamed")
        return router
    }

    private func response(to request: PageRequest) async throws -> PageResponse {
        switch route(request.path) {
        case .page: return files.page(for: request)
        case .serviceWorker: return files.serviceWorker
        case .manifest: return PageFiles.manifest
        case .icon: return PageFiles.icon
        case .session: return try session(request)
        case .events: return .eventStream
        case .items: return try await request.method == .GET ? items() : add(PageBody(request.body))
        case .allContents: return try await allContents()
        case .undo: return try await request.method == .GET ? lastChange() : undo(PageBody(request.body))
        case .removal: return try await remove(PageBody(request.body))
        case .item(let id):
            return try await request.method == .GET ? contents(of: id) : put(PageBody(request.body), for: id)
        case .picture(let id):
            switch request.method {
            case .GET: return try await picture(of: id, request)
            case .PUT: return try await setPicture(request.body, of: id, request.query["change"])
            default: return try await removePicture(of: id, PageBody(request.body))
            }
        case .versions(let id): return try await versions(of: id)
        case .resolution(let id): return try await resolve(id, PageBody(request.body))
        case nil: throw PageError.noSuchPath
        }
    }

    /// Exchanges the secret of the link for a cookie, which scripts cannot read.
    private func session(_ request: PageRequest) throws -> PageResponse {
        let body = try PageBody(request.body)
        guard let text = body.token, access.token.matches(text) else { throw PageError.noToken }
        let isSecure = request.head.headers.first(name: "origin")?.hasPrefix("https:") ?? false
        var response = PageResponse(
            .noContent,
            headers: ["Set-Cookie": access.cookie(access.token, isSecure: isSecure), "Cache-Control": "no-store"])
        response.opensList = true
        return response
    }
}
