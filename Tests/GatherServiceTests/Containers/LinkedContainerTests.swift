// Scopes of a container whose path has symbolic links in it.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import TestSupport
import Testing
import Varlink

@testable import GatherService

struct LinkedContainerTests {
    /// The paths that match in a scope; nil where that is unknown.
    private func find(
        _ daemon: DaemonFixture, _ scope: String, as user: OtherUser? = nil
    ) async throws -> [String]? {
        do {
            let reply = try await daemon.call(
                QueryInterface.Find.self,
                QueryInterface.Find.Request(predicate: "", scopes: [scope], attributes: ["path"], sync: true), as: user)
            return reply.items.compactMap(\.path).sorted()
        } catch {
            #expect("\(error)".contains("UnknownScope"), "\(error)")
            return nil
        }
    }

    @Test func `A scope is a path in either spelling, wherever the link stands`() async throws {
        let directory = try TemporaryDirectory()
        let top = directory.path
        for name in ["", "/inner"] { try directory.write("", to: "real/tree\(name)/f") }
        #expect(symlink(top + "/real", top + "/up") == 0)
        #expect(symlink(top + "/real/tree", top + "/end") == 0)
        for root in ["/up/tree", "/end"] {
            try await DaemonFixture.run(containers: ["x": top + root], directory: directory) { daemon in
                for spelling in [root, "/real/tree"] {
                    let all = try await find(daemon, top + spelling)
                    #expect(all == ["/f", "/inner", "/inner/f"].map { top + root + $0 }, "\(root) by \(spelling)")
                    let inner = try await find(daemon, "\(top)\(spelling)/inner")
                    #expect(inner == [top + root + "/inner/f"], "\(root) by \(spelling)")
                }
                for other in ["/real", "/real/tre", "/real/tree2", "/real/tree/../tree"] {
                    let found1 = try await find(daemon, top + other)
                    #expect(found1 == nil, "\(other)")
                }
            }
        }
    }

    @Test func `A link that leads elsewhere takes the second spelling with it`() async throws {
        let directory = try TemporaryDirectory()
        let top = directory.path
        try directory.write("", to: "one/f")
        try directory.write("", to: "two/g")
        #expect(symlink(top + "/one", top + "/link") == 0 && symlink(top + "/two", top + "/next") == 0)
        try await DaemonFixture.run(containers: ["x": top + "/link"], directory: directory) { daemon in
            let found2 = try await find(daemon, top + "/one")
            #expect(found2 == [top + "/link/f"])
            let found3 = try await find(daemon, top + "/two")
            #expect(found3 == nil)
            #expect(rename(top + "/next", top + "/link") == 0)
            let found4 = try await find(daemon, top + "/link")
            #expect(found4 == [top + "/link/g"])
            let found5 = try await find(daemon, top + "/two")
            #expect(found5 == [top + "/link/g"])
            let found6 = try await find(daemon, top + "/one")
            #expect(found6 == nil)
        }
    }

    @Test(.needsRoot("other users"))
    func `A user who may not search the way to a container learns nothing by either spelling`() async throws {
        let directory = try TemporaryDirectory()
        let top = directory.path
        chmod(top, 0o755)
        try directory.write("", to: "above/tree/f")
        for path in ["/above", "/above/tree"] { chmod(top + path, 0o755) }
        chmod(top + "/above/tree/f", 0o644)
        #expect(symlink(top + "/above/tree", top + "/link") == 0)
        let user = OtherUser(user: 41_001, group: 42_001)
        try await DaemonFixture.run(containers: ["x": top + "/link"], directory: directory, isSystem: true) { daemon in
            chmod(daemon.socket, 0o666)
            for spelling in ["/link", "/above/tree"] {
                let found7 = try await find(daemon, top + spelling, as: user)
                #expect(found7 == [top + "/link/f"])
            }
            chmod(top + "/above", 0o700)
            for spelling in ["/link", "/above/tree", "/above/tree/none", "/above/none"] {
                let found8 = try await find(daemon, top + spelling, as: user)
                #expect(found8 == nil, "\(spelling)")
            }
        }
    }
}
