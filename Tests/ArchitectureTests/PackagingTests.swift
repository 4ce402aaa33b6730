// The files beside the sources: units, the catalog of messages, scripts.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

struct PackagingTests {
    @Test func `systemd understands the units, and the sandbox is tight`() async throws {
        let (text, status) = await output(of: Repository.root + "/Packaging/dev/check-units")
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

    @Test func `Each explanation has short lines, says what to do, and uses fields that the message has`() throws {
        let enumeration = try Repository.text("Sources/SystemdSupport/MessageIdentifier.swift")
        var kinds: [String: String] = [:]
        for match in enumeration.matches(of: /(?m)^ +case \.(\w+): "([0-9a-f]{32})"$/) {
            let raw = enumeration.firstMatch(of: try Regex("case \(match.1) = \"([a-z-]+)\""))?[1].substring
            kinds[String(match.2)] = String(raw ?? match.1)
        }
        // The metadata of a message where it is written, beside its kind.
        var given: [String: [Set<String>]] = [:]
        for file in try Repository.sources() where file.target == "GatherService" {
            for match in file.text.matches(of: /metadata: \[([^\]]*"message-id": "([a-z-]+)"[^\]]*)\]/) {
                given[String(match.2), default: []].append(
                    Set(match.1.matches(of: /"([a-z-]+)":/).map { String($0.1) }))
            }
        }
        let catalog = try Repository.text("Packaging/systemd/gatherd.catalog")
        let entries = catalog.matches(of: /(?s)-- ([0-9a-f]{32})\n(.*?)(?=\n-- |\Z)/)
        #expect(entries.count > 5)
        for entry in entries {
            let kind = try #require(kinds[String(entry.1)])
            for line in entry.2.split(separator: "\n") { #expect(line.count <= 79, "\(line)") }
            #expect(entry.2.contains(#/action\s+is\s+needed|\n    \w/#), "\(kind): what is to be done?")
            for field in entry.2.matches(of: /@(\w+)@/).map({ String($0.1) }) {
                let key = field.dropFirst("GATHERD_".count).lowercased()
                #expect(field.hasPrefix("GATHERD_") && ["container", "path"].contains(key), "\(kind): \(field)")
                for keys in given[kind] ?? [] { #expect(keys.contains(key), "\(kind): not all have \(field)") }
            }
        }
    }

    @Test func `The package has the version that the programs say`() throws {
        let version = try Repository.text("Sources/GatherService/Version.swift")
            .firstMatch(of: /static let current = "(.*)"/)
        let changelog = try Repository.text("Packaging/debian/changelog").firstMatch(of: /^gatherd \(([^)]*)\)/)
        #expect(try #require(changelog).1 == #require(version).1)
    }

    @Test func `Messages are of kinds that there are, and there is no kind without a message`() throws {
        let enumeration = try Repository.text("Sources/SystemdSupport/MessageIdentifier.swift")
        let kinds = Set(
            enumeration.matches(of: /case (\w+)( = "([a-z-]+)")?\n/).map { String($0.3 ?? $0.1) })
        #expect(kinds.count > 10)
        var used: Set<String> = []
        for file in try Repository.sources() where file.target == "GatherService" {
            let text = try Repository.text(file.path)
            // As metadata, or as what is to become that.
            for match in text.matches(of: /"message-id": "([a-z-]+)"/) { used.insert(String(match.1)) }
            for match in text.matches(of: /\.(?:info|notice|warning|error), number, "([a-z-]+)"/) {
                used.insert(String(match.1))
            }
        }
        // The audit's has a level that depends on what was found.
        used.insert("self-audit")
        #expect(used == kinds)
    }

    @Test func topLevelHoldsOnlyTheCustomaryEntries() throws {
        let ignored: Set = ["Package.resolved"]
        let entries = try FileManager.default.contentsOfDirectory(atPath: Repository.root)
            .filter { !$0.hasPrefix(".") && !ignored.contains($0) }
        #expect(
            Set(entries) == [
                "CHANGELOG.md", "CONTRIBUTING.md", "Config", "LICENSE", "Package.swift", "Packaging", "README.md",
                "Sources", "Tests",
            ])
        // Installed files, the two commands of the README, and `deb` for administrators who build their own package.
        let packaging = try FileManager.default.contentsOfDirectory(atPath: Repository.root + "/Packaging")
        #expect(Set(packaging) == ["deb", "debian", "demo", "dev", "man", "systemd", "test"])
        // Tools are files. The tests that they run lie below `Tests`.
        let tools = Repository.root + "/Packaging/dev"
        let folders = try FileManager.default.contentsOfDirectory(atPath: tools).filter { name in
            var isDirectory: ObjCBool = false
            return FileManager.default.fileExists(atPath: tools + "/" + name, isDirectory: &isDirectory)
                && isDirectory.boolValue
        }
        #expect(folders == ["unicode"])
    }

    /// An error that leaves `main` ends the program with a trap, and its message names a line of the sources.
    @Test func examplesHandleTheirErrors() throws {
        let sources = Repository.root + "/Tests/Examples/Sources"
        let files = try #require(FileManager.default.enumerator(atPath: sources))
        var count = 0
        for case let file as String in files where file.hasSuffix(".swift") {
            let text = try Repository.text("Tests/Examples/Sources/" + file)
            count += text.contains("static func main() async {\n") ? 1 : 0
            #expect(!text.contains(/func main\(\)[^{]*throws/), "\(file)")
        }
        #expect(count == 4)
    }

    @Test(arguments: [
        "Packaging/dev/check-model", "Packaging/dev/check-units", "Packaging/dev/completion-test", "Packaging/deb",
        "Packaging/demo", "Packaging/dev/dependencies", "Packaging/dev/docs", "Packaging/dev/examples",
        "Packaging/dev/fuzz", "Packaging/dev/judges", "Packaging/dev/lint", "Tests/Interoperability/varlinkctl",
        "Packaging/dev/release-build", "Packaging/dev/sanitize", "Packaging/dev/systemd-test", "Packaging/test",
        ".ci/run",
    ])
    func `Scripts are well formed and stop at errors`(_ path: String) async throws {
        let (text, status) = await output(of: "/bin/bash", "-n", Repository.root + "/" + path)
        #expect(status == 0, "\(text)")
        if !["Packaging/dev/dependencies", "Packaging/dev/release-build"].contains(path) {
            #expect(FileManager.default.isExecutableFile(atPath: Repository.root + "/" + path))
            #expect(try Repository.text(path).contains("\nset -euo pipefail\n"))
        }
    }
}
