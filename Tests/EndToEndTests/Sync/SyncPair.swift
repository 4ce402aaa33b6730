// Two machines that share a container.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

/// Two machines that share the container `box`, both exact and connected.
struct SyncPair {
    let a: SyncMachine
    let b: SyncMachine

    /// Documents have a folder of Syncthing for themselves.
    init(hasDocuments: Bool = false) async throws {
        async let first = SyncMachine("A")
        async let second = SyncMachine("B")
        try await self.init(first, second, hasDocuments: hasDocuments)
    }

    /// Has two machines share their container.
    init(_ a: SyncMachine, _ b: SyncMachine, hasDocuments: Bool = false) async throws {
        (self.a, self.b) = (a, b)
        if hasDocuments { for machine in [a, b] { mkdir(machine.box + "/Documents", 0o755) } }
        try await a.share(with: [b])
        try await b.share(with: [a])
        try a.save("first", "the first file")
        try await a.until("isUploaded == TRUE AND name == 'first'", ["first"])
        try await b.until("isUploaded == TRUE AND name == 'first'", ["first"])
    }
}
