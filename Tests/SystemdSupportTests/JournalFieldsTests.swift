// The fields of a journal entry for a log message: a pure function.
// SPDX-License-Identifier: Apache-2.0

import Logging
import Testing

@testable import SystemdSupport

struct JournalFieldsTests {
    private func fields(_ metadata: Logger.Metadata, level: Logger.Level = .info) -> [String] {
        let event = LogEvent(
            level: level, message: "live", error: nil, metadata: nil, source: nil, file: "GatherService/Daemon.swift",
            function: "run()", line: 17)
        return JournalFields(event: event, metadata: metadata, identifier: "gatherd").fields
            .map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `An entry has the well-known fields and each metadata value under its name`() {
        #expect(
            fields(["message-id": "container-live", "container": "grocery", "live-queries": "2"]) == [
                "MESSAGE=live container=grocery live-queries=2", "PRIORITY=6", "SYSLOG_IDENTIFIER=gatherd",
                "CODE_FILE=GatherService/Daemon.swift", "CODE_LINE=17", "CODE_FUNC=run()", "GATHERD_CONTAINER=grocery",
                "GATHERD_LIVE_QUERIES=2", "MESSAGE_ID=776e19030b924e4dacb230f69b45c7c3",
            ])
    }

    @Test func `A kind that does not exist is kept, but is no message identifier`() {
        #expect(fields(["message-id": "nonsense"]).last == "GATHERD_MESSAGE_ID=nonsense")
    }

    @Test func `A list is one field for each element, and a value keeps its bytes`() {
        #expect(
            fields(["path": ["/a", "/b\nMESSAGE=x"]]).suffix(2) == ["GATHERD_PATH=/a", "GATHERD_PATH=/b\nMESSAGE=x"])
    }

    @Test(arguments: zip(Logger.Level.allCases, [7, 7, 6, 5, 4, 3, 2]))
    func `Levels are syslog priorities`(_ level: Logger.Level, _ priority: Int) {
        #expect(fields([:], level: level)[1] == "PRIORITY=\(priority)")
    }

    @Test(arguments: [
        ("container", "GATHERD_CONTAINER"), ("peer-uid", "GATHERD_PEER_UID"), ("peer uid", "GATHERD_PEER_UID"),
        ("ü", "GATHERD___"), ("=\n", "GATHERD___"), ("", "GATHERD_"), ("9x", "GATHERD_9X"),
        (String(repeating: "a", count: 300), "GATHERD_" + String(repeating: "A", count: 56)),
    ])
    func `Names are made of what the journal takes, at most 64 characters`(_ key: String, _ name: String) {
        #expect(JournalFields.name(for: key) == name)
    }
}
