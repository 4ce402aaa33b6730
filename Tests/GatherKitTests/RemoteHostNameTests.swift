// The names of other machines.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatherKit

struct RemoteHostNameTests {
    @Test(arguments: [
        ("attic", "attic", nil), ("alice@attic", "alice@attic", nil), ("attic:2222", "attic", "2222"),
        ("alice@10.0.0.1:22", "alice@10.0.0.1", "22"), ("::1", "::1", nil), ("[::1]", "::1", nil),
        ("a@[fe80::1]:22", "a@fe80::1", "22"), ("a@b@c", "a@b@c", nil), ("höhle", "höhle", nil),
        ("[fe80::1%eth0]:22", "fe80::1%eth0", "22"),
    ])
    func namesAreSplit(_ text: String, _ destination: String, _ port: String?) throws {
        let host = try #require(RemoteHost(text))
        #expect(host.destination == destination)
        #expect(host.port == port)
        #expect(host.description == text)
    }

    @Test(arguments: [
        "", " ", "a b", "a\n", "-l", "-oProxyCommand=x", "root@-l", "root@", "@host", "host:", "host:0", "host:65536",
        "host:ssh",
        "[::1", "[::1]x", "[]", "[::1]:", ":22", "[web]", "[web:vars]", "[web]:22", "a@[web]", "[cafe:all]", "[%eth0]",
    ])
    func otherTextIsNone(_ text: String) { #expect(RemoteHost(text) == nil) }

    @Test func commandEndsWithTheHostAndTheBridge() throws {
        let host = try #require(RemoteHost("alice@attic:2222"))
        let arguments = RemoteDaemon(host: host, options: " --socket '/a b'", asks: false).arguments
        #expect(
            arguments.suffix(5) == [
                "-p", "2222", "--", "alice@attic", "exec gather bridge --end-with-input --socket '/a b'",
            ])
        #expect(arguments.contains("BatchMode=yes"))
    }
}
