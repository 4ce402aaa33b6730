// Failure to identify the device.
// SPDX-License-Identifier: Apache-2.0

/// A failure to find the identifier of this device.
public struct DeviceIdentifierError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file that could not be read or written; nil if neither `XDG_STATE_HOME` nor `HOME` names a directory.
    public let path: String?
    /// The error number of the system call.
    public let errno: Int32
    /// A sentence for a person, without a full stop.
    public let description: String
}
