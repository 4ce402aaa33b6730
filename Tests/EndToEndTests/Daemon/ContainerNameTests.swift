// Names of containers that differ in upper and lower case alone, and what --check-config says of a configuration that is in order.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

struct ContainerNameTests {
    @Test func aNameThatDiffersInCaseAloneIsNotAdded() async throws {
        let daemon = try await TestDaemon()
        for name in ["a", "b"] { try Change.directory(daemon.directory + "/" + name) }
        func add(_ name: String) async -> ChildProcess.Result {
            await daemon.gather("container", "add", name, daemon.directory + "/b")
        }
        #expect(await daemon.gather("container", "add", "Grocery-1", daemon.directory + "/a").status == 0)
        for name in ["grocery-1", "GROCERY-1", "groceRy-1"] {
            let refused = await add(name)
            #expect(refused.status != 0)
            #expect(
                refused.errors.contains("differs from that of container 'Grocery-1' at \(daemon.directory)/a"),
                "\(refused.errors)")
        }
        #expect(await add("grocery_1").status == 0)
    }

    @Test func checkConfigurationNamesProblemsThatADaemonAllowsAtItsStart() async throws {
        let daemon = try await TestDaemon()
        let directory = daemon.directory + "/etc"
        let file = directory + "/gatherd.toml"
        for path in ["", "/containers.d", "/box", "/other"] { try Change.directory(directory + path) }
        try Change.write("", to: file)
        for (name, path) in [("Box", "box"), ("box", "other"), ("file", "gatherd.toml"), ("none", "none")] {
            try Change.write(
                "packages = []\npath = \"\(directory)/\(path)\"\n", to: directory + "/containers.d/\(name).toml")
        }
        let check = await ChildProcess(.gatherd, ["--check-config", "--config", file]).result()
        #expect(check.status == 0 && check.text.hasPrefix("the configuration is in order: 4 containers"), "\(check)")
        let place = "gatherd: note: \(directory)/containers.d"
        #expect(
            check.errors == """
                \(place)/box.toml:2: container 'box' at \(directory)/other: its name differs from that of container 'Box' at \(directory)/box in upper and lower case alone
                \(place)/file.toml:2: container 'file' at \(file): this is no directory
                \(place)/none.toml:2: container 'none' at \(directory)/none: there is no such directory yet; its items come once it is there

                """, "\(check.errors)")
    }
}
