// Sends each call to the handler of its interface, and each error as a Varlink error.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Varlink

/// The daemon's handler of calls. Event loop only.
final class Dispatcher: VarlinkHandler {
    private let query: QueryHandler
    private let container: ContainerHandler
    private let service: ServiceHandler
    private let sync: SyncHandler

    init(query: QueryHandler, container: ContainerHandler, service: ServiceHandler, sync: SyncHandler) {
        self.query = query
        self.container = container
        self.service = service
        self.sync = sync
    }

    func handle(_ call: VarlinkCall) {
        do {
            if call.method.hasPrefix(QueryInterface.name + ".") {
                // A oneway question has no answer. It is not evaluated, so that it does not occupy its connection.
                if call.isOneway { return }
                try query.handle(call)
            } else if call.isOneway, Dispatcher.reporting.contains(call.method) {
                return
            } else if call.method.hasPrefix(ContainerInterface.name + ".") {
                try container.handle(call)
            } else if call.method.hasPrefix(SyncInterface.name + ".") {
                try sync.handle(call)
            } else {
                try service.handle(call)
            }
        } catch {
            call.fail(Dispatcher.varlinkError(error))
        }
    }

    /// Methods without side effects besides the queries. Some cost a scan for some callers.
    private static let reporting: Set<String> = [
        ContainerInterface.List.name, ContainerInterface.Get.name, ContainerInterface.Monitor.name,
        ServiceInterface.Status.name, ServiceInterface.Metrics.name,
    ]

    /// Returns an error as a Varlink error.
    static func varlinkError(_ error: any Error) -> VarlinkError {
        switch error {
        case let error as VarlinkError: error
        case let error as QueryError: error.varlinkError
        case let error as ContainerError: error.varlinkError
        case let error as ServiceError: error.varlinkError
        case let error as SyncError: error.varlinkError
        // The parameters were checked against the interface, so the value is out of the range of its type.
        case is JSONError: .invalidParameter("parameters")
        default: QueryError.evaluationFailed(message: "\(error)").varlinkError
        }
    }
}
