// Converts errors of io.gatherd.Sharing to sentences for people.
// SPDX-License-Identifier: Apache-2.0

internal import GatherProtocol
internal import Varlink

extension GatherError {
    /// Converts an error reply of the helper.
    init(sharing error: VarlinkError) {
        if let error = SharingError(error) {
            self.init(error)
            return
        }
        let parameters = error.parameters.text
        switch error.name {
        case "org.varlink.service.PermissionDenied":
            self.init(
                code: .permissionDenied,
                message: "you may not do that: it is for root and for the user that gather-syncd runs as")
        case "org.varlink.service.MethodNotImplemented", "org.varlink.service.MethodNotFound",
            "org.varlink.service.InterfaceNotFound":
            self.init(code: .notImplemented, message: "this gather-syncd does not offer that yet \(parameters)")
        case "org.varlink.service.InvalidParameter":
            self.init(code: .other, message: "gather-syncd does not take this argument: \(parameters)")
        default: self.init(code: .other, message: "gather-syncd answered with \(error)", subject: error.name)
        }
    }

    /// Makes the error for a reply of the helper that violates the interface.
    init(sharing error: JSONError) {
        self.init(code: .protocolViolation, message: "the answer of gather-syncd cannot be read: \(error)")
    }

    /// Makes the error for a Syncthing that does not answer, with the reason.
    package init(syncNotRunning reason: String?) {
        self.init(
            code: .syncNotRunning,
            message: "Syncthing does not answer\(reason.map { ": \(DisplayText.escaped($0))" } ?? "")")
    }

    private init(_ error: SharingError) {
        switch error {
        case .notRunning(let reason): self.init(syncNotRunning: reason.isEmpty ? nil : reason)
        case .noSuchContainer(let identifier):
            self.init(
                code: .noSuchContainer, message: "there is no container '\(DisplayText.escaped(identifier))'",
                subject: identifier)
        case .notShared(let identifier):
            self.init(
                code: .notShared, message: "the container '\(DisplayText.escaped(identifier))' is not shared",
                subject: identifier)
        case .noSuchDevice(let device):
            self.init(
                code: .noSuchDevice,
                message:
                    "there is no device '\(DisplayText.escaped(device))'; 'gather devices' lists those there are",
                subject: device)
        case .invalidDevice(let device):
            self.init(
                code: .invalidDevice,
                message: "'\(DisplayText.escaped(device))' is no device ID: a character is wrong or missing",
                subject: device)
        case .notUploaded(let path, let reason):
            self.init(
                code: .notUploaded, message: "\(DisplayText.escaped(path)) stays here: \(DisplayText.escaped(reason))",
                subject: path)
        case .noSuchItem(let path):
            self.init(
                code: .noSuchItem, message: "no shared container has an item \(DisplayText.escaped(path))",
                subject: path)
        case .failed(let message): self.init(code: .other, message: DisplayText.escaped(message))
        }
    }
}
