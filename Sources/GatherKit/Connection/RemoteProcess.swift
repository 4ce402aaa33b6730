// The process that reaches another machine.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import LinuxSystem
internal import Synchronization

/// A process whose standard input and output are the other ends of two sockets of this process. With one for both, the end of its
/// output would not be seen while its input is open.
///
/// It runs until the sockets are closed, since `gather bridge` then reads the end of its input, or until this object is released.
final class RemoteProcess: Sendable {
    /// The most bytes of messages that are kept.
    private static let messageBytes = 64 << 10
    /// Processes that were told to end, and have not been waited for.
    private static let ending = Mutex<[pid_t]>([])

    /// The longest wait for the end of a process whose socket is closed already, in milliseconds.
    private static let endMilliseconds: CInt = 1_000

    private let process: pid_t
    /// The exit status, once it was waited for. Another process may have the number from then on.
    private let ended = Mutex<Int32?>(nil)
    /// The standard error of the process. Its size is sealed, so that a noisy machine cannot fill the memory.
    private let messages: SharedMemory

    private init(_ process: pid_t, _ messages: SharedMemory) {
        self.process = process
        self.messages = messages
    }

    /// Starts a program. The caller owns the sockets: one to read its output, one to write its input. A write that waits longer
    /// than `time` fails with EAGAIN.
    static func start(
        _ arguments: [String], writesWithin time: Duration
    ) throws(SystemError) -> (process: RemoteProcess, input: CInt, output: CInt) {
        collect()
        let messages = try SharedMemory(name: "gather-ssh", size: messageBytes)
        let (inputEnd, theirOutputEnd) = try sockets()
        let input = Descriptor(owning: inputEnd)
        let theirOutput = Descriptor(owning: theirOutputEnd)
        let (outputEnd, theirInputEnd) = try sockets()
        let output = Descriptor(owning: outputEnd)
        let theirInput = Descriptor(owning: theirInputEnd)
        var limit = timeval(tv_sec: Int(time.components.seconds), tv_usec: 0)
        setsockopt(output.number, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let process = try Program.start(
            arguments.map { Array($0.utf8) },
            descriptors: [
                Program.Inherited(theirInput.number, as: STDIN_FILENO),
                Program.Inherited(theirOutput.number, as: STDOUT_FILENO),
                Program.Inherited(messages.descriptor.number, as: STDERR_FILENO),
            ])
        return (RemoteProcess(process, messages), input.release(), output.release())
    }

    /// Returns two connected sockets, which the caller owns.
    private static func sockets() throws(SystemError) -> (CInt, CInt) {
        var ends: [CInt] = [-1, -1]
        let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw SystemError(code: errno) }
        return (ends[0], ends[1])
    }

    deinit {
        guard ended.withLock({ $0 }) == nil else { return }
        kill(process, SIGTERM)
        let process = process
        RemoteProcess.ending.withLock { $0.append(process) }
        RemoteProcess.collect()
    }

    /// Waits for processes that have ended, without blocking, so that the kernel forgets them.
    private static func collect() {
        ending.withLock { $0.removeAll { waitpid($0, nil, WNOHANG) != 0 } }
    }

    /// The exit status of a process whose socket has ended; nil if a signal ended it, or if it goes on without its socket.
    var exitStatus: Int32? {
        let status = ended.withLock { ended -> Int32? in
            if let ended { return ended }
            // Without the descriptor, such as in a sandbox, a process that has not ended yet has no status.
            if let end = try? Program.end(of: process) {
                var poll = pollfd(fd: end.number, events: Int16(POLLIN), revents: 0)
                while Glibc.poll(&poll, 1, RemoteProcess.endMilliseconds) < 0, errno == EINTR {}
            }
            var status: Int32 = 0
            guard waitpid(process, &status, WNOHANG) == process else { return nil }
            ended = status
            return status
        }
        guard let status, status & 0x7F == 0 else { return nil }
        return status >> 8 & 0xFF
    }

    /// A line of the standard error.
    struct Message {
        let text: String
        /// Whether `gather bridge` wrote it, on the other machine.
        let isOfGather: Bool
    }

    /// The last line that the process wrote to its standard error; nil without one.
    var lastMessage: Message? {
        let text = messages.bytes.prefix { $0 != 0 }
        let lines = text.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        guard let line = lines.last else { return nil }
        let words = DisplayText.escaped(line)
        let name = "gather: "
        let isOfGather = words.hasPrefix(name)
        return Message(text: isOfGather ? String(words.dropFirst(name.count)) : words, isOfGather: isOfGather)
    }
}
