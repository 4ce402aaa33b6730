// The users that may get Syncthing's key, from the options and the environment.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Syncthing
import Testing

@testable import SyncService

struct SyncOptionsTests {
    /// Returns the users of a configuration file of this process, with an option.
    private func users(_ user: String?) throws -> Set<UInt32> {
        var template = Array("/tmp/gather-config-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        let file = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        defer { unlink(file) }
        let text = "<configuration><gui><address>127.0.0.1:1</address><apikey>k</apikey></gui></configuration>"
        #expect(write(descriptor, text, text.utf8.count) == text.utf8.count)
        close(descriptor)
        let options = SyncOptions(
            socket: .path("unused", isShared: false), gatherdSocket: "unused", configurations: [file],
            syncthingUser: user)
        return try options.configuration().users
    }

    @Test func theOwnerOfTheFileAndANamedUserMayGetTheKey() throws {
        #expect(try users(nil) == [0, geteuid()])
        #expect(try users("root") == [0, geteuid()])
        #expect(try users("41001") == [0, geteuid(), 41_001])
    }

    @Test(arguments: ["no-such-user", "4294967295", "-1", ""]) func anUnknownUserIsToldByName(user: String) {
        let error = #expect(throws: SyncthingError.self) { try users(user) }
        #expect("\(error.map { "\($0)" } ?? "")".contains("there is no user '\(user)'"))
    }

    @Test func theEnvironmentNamesTheUserOfAService() {
        func user(_ environment: [String: String]) -> String? {
            SyncPaths(userID: 1000, environment: environment) { _ in false }.syncthingUser
        }
        #expect(user(["GATHER_SYNCTHING_USER": "ana"]) == "ana")
        #expect(user(["GATHER_SYNCTHING_USER": ""]) == nil)
        #expect(user([:]) == nil)
    }
}
