// The errors of io.gatherd.Sharing as Swift errors.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// An error of `io.gatherd.Sharing`.
package enum SharingError: Error, Sendable, Hashable {
    /// Syncthing does not answer, for the reason given.
    case notRunning(reason: String)
    /// gatherd has no container with this identifier.
    case noSuchContainer(identifier: String)
    /// The container is not shared.
    case notShared(identifier: String)
    /// Syncthing knows no such device.
    case noSuchDevice(device: String)
    /// The text is no device identifier.
    case invalidDevice(device: String)
    /// No other device is known to have the present version.
    case notUploaded(path: String, reason: String)
    /// There is no item at the path.
    case noSuchItem(path: String)
    /// Syncthing or gatherd refused, for the reason given.
    case failed(message: String)
}

extension SharingError: InterfaceError {
    package static var interface: String { SharingInterface.name }

    package init?(name: String, fields: ErrorFields) {
        switch name {
        case "NotRunning": self = .notRunning(reason: fields.string("reason"))
        case "NoSuchContainer": self = .noSuchContainer(identifier: fields.string("identifier"))
        case "NotShared": self = .notShared(identifier: fields.string("identifier"))
        case "NoSuchDevice": self = .noSuchDevice(device: fields.string("device"))
        case "InvalidDevice": self = .invalidDevice(device: fields.string("device"))
        case "NotUploaded": self = .notUploaded(path: fields.string("path"), reason: fields.string("reason"))
        case "NoSuchItem": self = .noSuchItem(path: fields.string("path"))
        case "Failed": self = .failed(message: fields.string("message"))
        default: return nil
        }
    }

    package var name: String {
        switch self {
        case .notRunning: "NotRunning"
        case .noSuchContainer: "NoSuchContainer"
        case .notShared: "NotShared"
        case .noSuchDevice: "NoSuchDevice"
        case .invalidDevice: "InvalidDevice"
        case .notUploaded: "NotUploaded"
        case .noSuchItem: "NoSuchItem"
        case .failed: "Failed"
        }
    }

    package func writeFields(to writer: inout JSONWriter) {
        switch self {
        case .notRunning(let reason):
            writer.field("reason", reason)
        case .noSuchContainer(let identifier):
            writer.field("identifier", identifier)
        case .notShared(let identifier):
            writer.field("identifier", identifier)
        case .noSuchDevice(let device):
            writer.field("device", device)
        case .invalidDevice(let device):
            writer.field("device", device)
        case .notUploaded(let path, let reason):
            writer.field("path", path)
            writer.field("reason", reason)
        case .noSuchItem(let path):
            writer.field("path", path)
        case .failed(let message):
            writer.field("message", message)
        }
    }
}
