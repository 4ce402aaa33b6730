// Another user of the machine, as whom the kernel is asked.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestSupport
import Varlink

/// Another user of the machine. To the kernel credentials belong to a thread; it is the C library that keeps those of a
/// process together. So a thread that changes its own is truly that user, for as long as it lives, as a program that
/// setpriv(1) starts would be: without capabilities.
struct OtherUser: Hashable, Sendable, CustomStringConvertible {
    let user: UInt32
    let group: UInt32
    var groups: [UInt32] = []

    var description: String { "\(user):\(([group] + groups).map(String.init).joined(separator: ","))" }

    private final class Box: @unchecked Sendable {
        // Written by the one thread that runs it, and read after that was joined.
        let body: () -> Void
        init(_ body: @escaping () -> Void) { self.body = body }
    }

    /// Runs `body` as the user.
    func run<Result>(_ body: () -> Result) -> Result {
        var result: Result?
        withoutActuallyEscaping(body) { body in
            let box = Box {
                become()
                result = body()
            }
            var thread = pthread_t()
            let created = pthread_create(
                &thread, nil,
                { context in
                    if let context { Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body() }
                    return nil
                }, Unmanaged.passRetained(box).toOpaque())
            guard created == 0 else { fatalError("pthread_create: \(created)") }
            pthread_join(thread, nil)
        }
        guard let result else { fatalError("the thread did not run") }
        return result
    }

    /// The system calls themselves, since the C library's functions would change every thread.
    private func become() {
        typealias Call = @convention(c) (Int, Int, Int, Int) -> Int
        let call = cFunction("syscall", as: Call.self)
        #if arch(x86_64)
            let (setgroups, setresgid, setresuid) = (116, 119, 117)
        #else
            let (setgroups, setresgid, setresuid) = (159, 149, 147)
        #endif
        let done = groups.withUnsafeBufferPointer {
            call(setgroups, groups.count, Int(bitPattern: $0.baseAddress), 0) == 0
        }
        guard done, call(setresgid, Int(group), Int(group), Int(group)) == 0,
            call(setresuid, Int(user), Int(user), Int(user)) == 0, access("/", F_OK) == 0
        else { fatalError("cannot become \(self): \(errno)") }
    }

    /// A connection to a socket; the kernel notes the credentials when it is made.
    func connect(path: String) throws -> CInt {
        // Borrowed, so that it is not closed before.
        func duplicate(_ client: borrowing BlockingVarlinkClient) -> CInt { dup(client.descriptor) }
        return try run { Result { duplicate(try BlockingVarlinkClient(path: path)) } }.get()
    }
}
