// Errors as the page gets them.
// SPDX-License-Identifier: Apache-2.0

internal import GatherDocuments
internal import GatherKit
internal import GroceryModel
internal import NIOHTTP1
internal import Varlink

/// The answer to a request that failed: a status, a code for the page, and a sentence for its user.
struct PageError: Error, Sendable {
    let status: HTTPResponseStatus
    let code: String
    /// A sentence without a full stop.
    let message: String
    /// The methods that the path has, for 405.
    var allowed: [HTTPMethod] = []

    init(_ status: HTTPResponseStatus, _ code: String, _ message: String, allowed: [HTTPMethod] = []) {
        self.status = status
        self.code = code
        self.message = message
        self.allowed = allowed
    }

    static let crossSite = PageError(.forbidden, "crossSite", "the request came from another site")
    static let noToken = PageError(
        .unauthorized, "noToken", "this list opens with the link that 'grocery serve' has printed")
    static let noSuchPath = PageError(.notFound, "noSuchPath", "nothing has this address")
    static let noSuchItem = PageError(.notFound, "noSuchItem", "no item has this identifier")
    static let tooManyConnections = PageError(
        .serviceUnavailable, "tooManyConnections", "too many pages are open; close one of them")
    static let tooManyBodies = PageError(
        .serviceUnavailable, "tooManyBodies", "the server receives too much at the same time; try again")
    static let needsJSON = PageError(.unsupportedMediaType, "needsJSON", "the body must be application/json")

    /// The answer for an error of the list.
    init(_ error: any Error) {
        switch error {
        case let error as PageError: self = error
        case let error as JSONError: self.init(.badRequest, "badJSON", "the body is not the expected JSON: \(error)")
        case let error as GroceryError: self.init(error)
        case let error as DocumentError: self.init(error)
        case let error as GatherError: self.init(.serviceUnavailable, "away", error.message)
        case is CancellationError: self.init(.serviceUnavailable, "ending", "the server ends")
        default: self.init(.internalServerError, "failed", "\(error)")
        }
    }

    private init(_ error: GroceryError) {
        switch error.code {
        case .notFound: self = PageError(.notFound, "noSuchItem", error.message)
        case .invalid: self.init(.unprocessableEntity, "invalid", error.message)
        case .away: self.init(.serviceUnavailable, "away", error.message)
        case .removed: self.init(.gone, "removed", error.message)
        case .undoLog: self.init(.internalServerError, "failed", error.message)
        case .ambiguous, .changed: self.init(.conflict, "changedMeanwhile", error.message)
        }
    }

    private init(_ error: DocumentError) {
        switch error.code {
        case .notFound: self.init(.notFound, "noSuchItem", error.message)
        case .permissionDenied: self.init(.forbidden, "permissionDenied", error.message)
        case .noSpace: self.init(.insufficientStorage, "noSpace", error.message)
        case .locked, .busy: self.init(.serviceUnavailable, "busy", error.message)
        // The page keeps its changes until the folder is one again.
        case .symbolicLink: self.init(.serviceUnavailable, "away", error.message)
        case .tooLarge: self.init(.payloadTooLarge, "tooLarge", error.message)
        case .invalidContents: self.init(.unprocessableEntity, "invalid", error.message)
        case .invalidVersion: self.init(.conflict, "changedMeanwhile", error.message)
        default: self.init(.internalServerError, "failed", error.message)
        }
    }
}
