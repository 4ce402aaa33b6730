// Classifies errors of the kernel: a resource is short, or permissions refuse.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

extension SystemError {
    /// Whether a resource is short. Such an error says nothing about the file.
    var isShortage: Bool {
        isLack || self == .wouldBlock
    }

    /// The same, where trying again at once is of no use.
    var isLack: Bool { [.tooManyDescriptors, .tooManyDescriptorsInSystem, .noMemory, .timedOut].contains(self) }

    /// Whether permissions refuse the call.
    var isRefusal: Bool { self == .noAccess || self == .notPermitted }
}
