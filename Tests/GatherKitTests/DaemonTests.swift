// One value that names the daemon and its helper for all types.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatherKit

struct DaemonTests {
    private let service = ScriptedDaemon()
    private let helper = ScriptedDaemon()
    private var daemon: Daemon { .at(path: service.path, sharing: "unix:" + helper.path) }

    @Test func placesAreThoseOfTheSockets() throws {
        #expect(daemon.path == service.path && daemon.sharingPath == helper.path && daemon.host == nil)
        #expect(Daemon.at(path: "/s").sharingPath == Daemon.automatic.sharingPath)
        #expect(Daemon.user != .system && Daemon.system.path == "/run/gatherd/io.gatherd")
        let host = try #require(RemoteHost("attic"))
        #expect(Daemon.on(host).host == host && Daemon.on(host, path: "/there").path == "/there")
        #expect(Daemon.at(path: "/a b").startCommand.contains("--socket '/a b'"))
    }

    @Test func clientsQueriesAndContainersReachIt() async throws {
        service.start(
            { connection in
                #expect(connection.receive().contains("io.gatherd.Query.Flush"))
                connection.reply("{\"clock\":\"9\"}")
            },
            { connection in
                #expect(connection.receive().contains("io.gatherd.Container.Get"))
                connection.reply(
                    """
                    {"container":{"identifier":"box","path":"/c","state":"live","origin":"argument","items":3,\
                    "directories":1,"watches":2,"polled":0,"unreadable":0,"packages":[],"ignore":[],"clock":"k"}}
                    """)
            },
            { connection in
                #expect(connection.receive().contains("io.gatherd.Query.Watch"))
                connection.reply("{\"event\":\"started\",\"fresh\":true}", continues: true)
                connection.reply("{\"event\":\"gathered\",\"clock\":\"c1\"}", continues: true)
                _ = connection.receive()
            })
        #expect(try await GatherClient(daemon: daemon).flush() == "9")
        let container = try await Container(identifier: "box", daemon: daemon)
        #expect(container.client == GatherClient(daemon: daemon))
        let query = MetadataQuery(predicate: "", scopes: [.container(container.identifier)], daemon: daemon)
        try await query.start()
        #expect(query.isRunning)
        query.stop()
    }

    @Test func sharingClientsReachTheHelper() async throws {
        helper.start { connection in
            #expect(connection.receive().contains("io.gatherd.Sharing.Check"))
            connection.reply("{\"findings\":[]}")
        }
        #expect(try await SharingClient(daemon: daemon).check().isEmpty)
    }
}
