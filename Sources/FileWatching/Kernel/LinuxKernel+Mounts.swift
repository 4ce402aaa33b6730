// Calls on mounts that may hang.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

extension LinuxKernel {
    /// The place of a call on an entry; nil if the entry is on no mount that may hang.
    func place(of name: UnsafePointer<CChar>, in directory: CInt) -> MountAgents.Place? {
        agents.isActive ? agents.place(of: name, in: directory) : nil
    }

    /// The status of an entry, which waits for a server no longer than the time limit.
    func mountAwareStatus(of name: UnsafePointer<CChar>, in directory: CInt) throws(SystemError) -> KernelStatus {
        if let status = try statusOnMount(of: name, in: directory) { return status }
        // A mount point may be newer than the known table of mounts, so the server is not asked here.
        let status = KernelStatus(try EntryStatus(of: name, in: directory, asks: agents.isRootRemote))
        guard status.isMountRoot, name.pointee != 0 else { return status }
        agents.refreshIfChanged()
        if let status = try statusOnMount(of: name, in: directory) { return status }
        guard agents.refreshIfUnknown(name, in: directory) else { return status }
        return try statusOnMount(of: name, in: directory) ?? status
    }

    private func statusOnMount(
        of name: UnsafePointer<CChar>, in directory: CInt
    ) throws(SystemError) -> KernelStatus? {
        guard let place = place(of: name, in: directory) else { return nil }
        if place.path != nil { return try agents.status(ofMountPoint: place) }
        return KernelStatus(
            try agents.ask(place, name) { (agent, name, directory) throws(SystemError) in
                try agent.status(of: name, in: directory)
            })
    }

    /// ``ExtendedAttributes/get(_:of:in:into:)``.
    func attribute(
        _ key: UnsafePointer<CChar>, of name: UnsafePointer<CChar>, in directory: CInt,
        into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int? {
        guard let place = place(of: name, in: directory) else {
            return try ExtendedAttributes.get(key, of: name, in: directory, into: buffer)
        }
        return try agents.ask(place, name) { (agent, name, directory) throws(SystemError) in
            try agent.attribute(key, of: name, in: directory, into: buffer)
        }
    }

    /// ``ExtendedAttributes/list(of:in:into:)``.
    func attributes(
        of name: UnsafePointer<CChar>, in directory: CInt, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int {
        guard let place = place(of: name, in: directory) else {
            return try ExtendedAttributes.list(
                of: name, in: directory, into: buffer.assumingMemoryBound(to: CChar.self))
        }
        return try agents.ask(place, name) { (agent, name, directory) throws(SystemError) in
            try agent.attributes(of: name, in: directory, into: buffer)
        }
    }

    /// The path of a directory that an agent has open, by the record of the agent's process.
    func pathOnMount(of directory: CInt) -> String? {
        guard let place = place(of: "", in: directory), let number = place.directory else { return nil }
        return withUnsafeTemporaryAllocation(byteCount: LinuxKernel.longestPath, alignment: 1) { buffer in
            let count = try? agents.ask(place, "/proc/self/fd/\(number)") { (agent, link, _) throws(SystemError) in
                try agent.symlink(link, in: nil, into: buffer)
            }
            guard let count, count < buffer.count else { return nil }
            return LinuxKernel.path(inLink: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    package var reachabilityVersion: UInt64 { agents.version }
    package func unreachableMounts() -> [UnreachableMount] { agents.unreachable }
    package func onLateAnswer(_ wake: @escaping @Sendable () -> Void) { agents.onAnswer(wake) }
    package func takeLateAnswers() -> Bool { agents.takeLateAnswers() }
    package func mount(ofOpen directory: CInt) -> Int? { agents.mount(ofOpen: directory) }
    package func interruptMounts() { agents.interrupt() }
    package func resolvedPath(_ path: [CChar]) -> [UInt8]? { agents.resolvedPath(path) }
}
