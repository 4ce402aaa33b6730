// The part of a service manager that keeps descriptors: takes them from one process and passes them to the next.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import IdentityModel

/// Descriptors that a service has had kept (`FDSTORE=1` of sd_notify(3)), for its next process (sd_listen_fds(3)).
final class DescriptorStore {
    private(set) var storedDescriptors: [(name: String, number: CInt)] = []

    deinit { clear() }

    /// As systemd 252 does when a service is stopped.
    func clear() {
        for descriptor in storedDescriptors { close(descriptor.number) }
        storedDescriptors = []
    }

    /// Receives one message of the service, with what comes with it; nil where none came.
    func receive(from socket: CInt) -> String? {
        var bytes = Bytes(repeating: 0, count: 4096)
        // A header of length, level and type, and up to 16 descriptors: cmsg(3).
        var control = [UInt64](repeating: 0, count: 16)
        var numbers: [CInt] = []
        let count = bytes.withUnsafeMutableBytes { bytes in
            control.withUnsafeMutableBytes { control in
                var vector = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
                return withUnsafeMutablePointer(to: &vector) { vector in
                    var message = msghdr()
                    message.msg_iov = vector
                    message.msg_iovlen = 1
                    message.msg_control = control.baseAddress
                    message.msg_controllen = control.count
                    let count = recvmsg(socket, &message, CInt(MSG_CMSG_CLOEXEC))
                    let length = control.load(as: Int.self)
                    if count > 0, message.msg_controllen >= 16, length > 16,
                        control.load(fromByteOffset: 12, as: CInt.self) == CInt(SCM_RIGHTS)
                    {
                        for offset in stride(from: 16, to: min(length, control.count), by: 4) {
                            numbers.append(control.load(fromByteOffset: offset, as: CInt.self))
                        }
                    }
                    return count
                }
            }
        }
        guard count > 0 else { return nil }
        let text = String(decoding: bytes[..<count], as: UTF8.self)
        let lines = text.split(separator: "\n")
        let name = lines.first { $0.hasPrefix("FDNAME=") }.map { String($0.dropFirst(7)) } ?? "stored"
        if lines.contains("FDSTORE=1") {
            storedDescriptors += numbers.map { (name, $0) }
        } else {
            for number in numbers { close(number) }
        }
        if lines.contains("FDSTOREREMOVE=1") {
            for descriptor in storedDescriptors where descriptor.name == name { close(descriptor.number) }
            storedDescriptors.removeAll { $0.name == name }
        }
        return text
    }
}
