// The mark of a container.
// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem
import Metadata

extension LinuxKernel {
    package func containerToken(
        in directory: CInt, known: ContainerTokenFile?
    ) throws(SystemError) -> ContainerTokenFile {
        do throws(SystemError) {
            let folder = try openDirectory(ContainerToken.folder, beneath: directory, access: .path)
            defer { close(folder) }
            // A file system may be mounted on the file: it is not entered.
            let status = try entryStatus(of: ContainerToken.name, in: folder)
            guard status.file.kind == .file, !status.isMountRoot else { return ContainerTokenFile(.none) }
            if let known, known.status == status.file { return known }
            guard let token = ContainerToken(contents: try contents(in: folder)) else {
                return ContainerTokenFile(.none, status.file)
            }
            return ContainerTokenFile(.token(token), status.file)
        } catch {
            switch error {
            case .noEntry, .notDirectory, .tooManyLinks, .crossesDevice: return ContainerTokenFile(.none)
            // The holder of a lease on the file is asked to let go of it (fcntl(2)).
            case .wouldBlock: return ContainerTokenFile(.unreadable)
            default:
                if error.isLack || error.isOfMount { throw error }
                return ContainerTokenFile(.unreadable)
            }
        }
    }

    /// Returns as many bytes of the file as a mark has, and one.
    private func contents(in folder: CInt) throws(SystemError) -> [UInt8] {
        var contents: [UInt8] = []
        var failure: SystemError?
        withUnsafeTemporaryAllocation(byteCount: ContainerToken.length + 1, alignment: 1) { buffer in
            do throws(SystemError) {
                contents = Array(buffer[..<(try readFile(ContainerToken.name, in: folder, into: buffer))])
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return contents
    }

    /// Reads the beginning of a regular file.
    private func readFile(
        _ name: String, in directory: CInt, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int {
        guard let place = place(of: "", in: directory), let number = place.directory else {
            return try Entry.readFile(name, in: directory, into: buffer)
        }
        return try agents.ask(place, name) { (agent, name, _) throws(SystemError) in
            try agent.file(name, in: number, into: buffer)
        }
    }
}
