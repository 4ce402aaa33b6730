// Rules for every file of the sources.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

struct SourceFileTests {
    @Test func `Every file opens with its job and its licence`() throws {
        for file in try Repository.sources() {
            let head = file.text.split(separator: "\n", omittingEmptySubsequences: false).prefix { $0.hasPrefix("//") }
            #expect(
                head.contains("// SPDX-License-Identifier: Apache-2.0"),
                "\(file.path): no SPDX line in its first comment")
            let job = head.filter { !$0.contains("SPDX-License-Identifier") && $0.contains(where: \.isLetter) }
            #expect(!job.isEmpty && head.first == job.first, "\(file.path): does not open with what it is for")
        }
    }

    @Test func `No file imports Foundation, but those of GatherFoundation`() throws {
        for file in try Repository.sources() where file.target != "GatherFoundation" {
            for (line, module) in file.imports {
                #expect(!module.hasPrefix("Foundation"), "\(file.path):\(line): imports \(module)")
            }
        }
    }

    // The service cannot import SystemdSupport, so it names kinds of message by their text.
    @Test func `Every kind of message that is logged has an identifier`() throws {
        let files = try Repository.sources()
        let enumeration = try #require(files.first { $0.path.hasSuffix("SystemdSupport/MessageIdentifier.swift") }).text
        var kinds: Set<String> = []
        for match in enumeration.matches(of: /(?m)^    case (\w+)(?: = "([a-z-]+)")?$/) {
            kinds.insert(String(match.2 ?? match.1))
        }
        #expect(kinds.count > 5)
        for file in files where file.target != "SystemdSupport" {
            for match in file.text.matches(of: /"message-id": *"([^"]*)"/) {
                #expect(kinds.contains(String(match.1)), "\(file.path): no message identifier is called \(match.1)")
            }
        }
    }

    // A second copy would follow a rule of its own: two programs once completed one save in two ways.
    @Test func `Names of other programs' files and the hash of names are written once`() throws {
        let literals = [
            "\"." + "stfolder", "\"." + "stignore", "\"." + "stversions", "\"~" + "syncthing~",
            "\"." + "sync-conflict-",
            "\"." + "gather-sync\"", "CBF2_" + "9CE4",
        ]
        for literal in literals {
            let found = try Repository.sources().filter { $0.text.uppercased().contains(literal.uppercased()) }
            #expect(found.map(\.target) == ["Metadata"], "\(literal): \(found.map(\.path))")
        }
        let temporary = try Repository.sources().filter { $0.text.contains("\"." + "syncthing.") }
        #expect(Set(temporary.map(\.target)) == ["Metadata", "LinuxSystem"], "\(temporary.map(\.path))")
    }

    // Shared code is a target that others import: a link is compiled once more, into types that are others.
    @Test func `No file of the sources or the tests is a symbolic link`() throws {
        for path in SourceTree.files(below: "Sources") + SourceTree.files(below: "Tests") {
            let kind = try FileManager.default.attributesOfItem(atPath: Repository.root + "/" + path)[.type]
            #expect(kind as? FileAttributeType != .typeSymbolicLink, "\(path)")
        }
    }

    // Foundation's type is killed where the runner has thousands of descriptors open; see ChildProcess.
    @Test func `Tests run programs through ChildProcess`() throws {
        for file in try Repository.tests() {
            #expect(!file.text.contains("= Process" + "()"), "\(file.path): use ChildProcess")
        }
    }
}
