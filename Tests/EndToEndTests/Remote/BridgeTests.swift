// gather bridge, and names of machines, without another machine.
// SPDX-License-Identifier: Apache-2.0

import GatherKit
import TestSupport
import Testing

@Suite(.serialized)
struct BridgeTests {
    @Test func wrongNamesOfMachinesAreRefused() async throws {
        for name in ["", "-oProxyCommand=touch /tmp/no", "a b", "host:", "host:0", "host:65536", "user@", "user@-x"] {
            let result = await run(.gather, "count", "", "--host", name)
            #expect(result.status == 64, "\(name): \(result.errors)")
            #expect(result.errors.contains("is no machine"), "\(name): \(result.errors)")
        }
        let relative = await run(.gather, "-H", "attic", "count", "", "--in", "sub")
        #expect(relative.status == 64 && relative.errors.contains("no absolute path"), "\(relative.errors)")
        let embedded = await run(.gather, "-H", "attic", "count", "", "--embedded", "--in", "/tmp")
        #expect(embedded.status == 64 && embedded.errors.contains("--host"), "\(embedded.errors)")
        let clocks = await run(.gather, "-H", "attic", "-H", "cellar", "clock")
        #expect(clocks.status == 64 && clocks.errors.contains("asks one machine"), "\(clocks.errors)")
    }

    @Test func bridgeCarriesVarlink() async throws {
        let daemon = try await TestDaemon()
        try Change.write("", to: daemon.box + "/a")
        let call = #"{"method":"io.gatherd.Query.Count","parameters":{"predicate":""}}"#
        let bridge = ChildProcess(.gather, ["bridge", "--socket", daemon.socket.path], input: call + "\0")
        let result = await bridge.result()
        #expect(result.text.contains(#""count":1"#), "\(result.text) \(result.errors)")
        #expect(result.status == 0)
        let absent = await run(.gather, "bridge", "--socket", "/no/such/socket")
        #expect(absent.status == 69 && absent.text == "")
    }

    @Test func bridgeEndsWithItsInput() async throws {
        let daemon = try await TestDaemon()
        let call = #"{"method":"io.gatherd.Query.Watch","parameters":{"predicate":""},"more":true}"#
        let bridge = ChildProcess(
            .gather, ["bridge", "--end-with-input", "--socket", daemon.socket.path], input: call + "\0")
        #expect(await bridge.result().status == 0)
    }
}
