// Sends each call to the handler of its interface, and each error back in its form on the wire.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Varlink

/// The daemon's handler of calls. On the event loop.
final class Dispatcher: VarlinkHandler {
    private let query: QueryHandler
    private let container: ContainerHandler
    private let service: ServiceHandler

    init(query: QueryHandler, container: ContainerHandler, service: ServiceHandler) {
        self.query = query
        self.container = container
        self.service = service
    }

    func handle(_ call: VarlinkCall) {
        do {
            if call.method.hasPrefix(QueryInterface.name + ".") {
                // A question whose answer goes nowhere costs nothing: such calls do not hold their connection back.
                if call.isOneway { return }
                try query.handle(call)
            } else if call.isOneway, Dispatcher.onlyTell.contains(call.method) {
                return
            } else if call.method.hasPrefix(ContainerInterface.name + ".") {
                try container.handle(call)
            } else {
                try service.handle(call)
            }
        } catch {
            call.fail(Dispatcher.varlinkError(error))
        }
    }

    /// Methods beside the questions that do nothing but answer, for some callers at the cost of a scan.
    private static let onlyTell: Set<String> = [
        ContainerInterface.List.name, ContainerInterface.Get.name, ContainerInterface.Monitor.name,
        ServiceInterface.Status.name, ServiceInterface.Metrics.name,
    ]

    /// The error in its form on the wire.
    static func varlinkError(_ error: any Error) -> VarlinkError {
        switch error {
        case let error as VarlinkError: error
        case let error as QueryError: error.varlinkError
        case let error as ContainerError: error.varlinkError
        case let error as ServiceError: error.varlinkError
        // The parameters were checked against the interface; what is left is a value out of its type's range.
        case is JSONError: .invalidParameter("parameters")
        default: QueryError.evaluationFailed(message: "\(error)").varlinkError
        }
    }
}
