// The files beside the sources: units, the catalog of messages, scripts.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

struct PackagingTests {
    @Test func `systemd understands the units, and the sandbox is tight`() throws {
        let (text, status) = try output(of: Repository.root + "/Packaging/check-units")
        if status == 77 {
            print(text)
            return
        }
        #expect(status == 0, "\(text)")
    }

    @Test func `The catalog explains every message identifier, and no other`() throws {
        let enumeration = try Repository.text("Sources/SystemdSupport/MessageIdentifier.swift")
        let catalog = try Repository.text("Packaging/systemd/gatherd.catalog")
        let identifiers = enumeration.matches(of: /"([0-9a-f]{32})"/).map { String($0.1) }
        let explained = catalog.matches(of: /(?m)^-- ([0-9a-f]{32})$/).map { String($0.1) }
        #expect(!identifiers.isEmpty)
        #expect(explained == identifiers)
    }

    @Test func `The package has the version that the programs say`() throws {
        let version = try Repository.text("Sources/GatherService/Version.swift")
            .firstMatch(of: /static let current = "(.*)"/)
        let changelog = try Repository.text("Packaging/debian/changelog").firstMatch(of: /^gatherd \(([^)]*)\)/)
        #expect(try #require(changelog).1 == #require(version).1)
    }

    @Test(arguments: [
        "Packaging/check-units", "Packaging/deb", "Packaging/demo", "Packaging/dependencies", "Packaging/docs",
        "Packaging/examples",
        "Packaging/fuzz", "Packaging/judges", "Packaging/judges.d/varlinkctl", "Packaging/lint",
        "Packaging/release-build", "Packaging/sanitize", "Packaging/systemd-test",
        "Packaging/test", ".ci/run",
    ])
    func `Scripts are well formed and stop at errors`(_ path: String) throws {
        let (text, status) = try output(of: "/bin/bash", "-n", Repository.root + "/" + path)
        #expect(status == 0, "\(text)")
        if !["Packaging/dependencies", "Packaging/release-build"].contains(path) {
            #expect(FileManager.default.isExecutableFile(atPath: Repository.root + "/" + path))
            #expect(try Repository.text(path).contains("\nset -euo pipefail\n"))
        }
    }
}
