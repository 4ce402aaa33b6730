// The file with the secret.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import GroceryPage

struct PageTokenFileTests {
    private func inFolder(_ body: (String) throws -> Void) throws {
        let folder = NSTemporaryDirectory() + "grocery-page-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test func `A link stays valid until its user wants another`() throws {
        try inFolder { folder in
            let path = folder + "/state/grocery/token"
            let token = try PageTokenFile.token(at: path)
            #expect(try PageTokenFile.token(at: path) == token)
            #expect(try mode(path) == 0o600)
            #expect(try mode(folder + "/state/grocery") == 0o700)
            let other = try PageTokenFile.token(at: path, isNew: true)
            #expect(other != token)
            #expect(try PageTokenFile.token(at: path) == other)
        }
    }

    @Test func `A secret that others may have read or made is replaced`() throws {
        try inFolder { folder in
            let path = folder + "/token"
            let token = try PageTokenFile.token(at: path)
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
            let second = try PageTokenFile.token(at: path)
            #expect(second != token)
            #expect(try mode(path) == 0o600)
            try FileManager.default.moveItem(atPath: path, toPath: folder + "/other")
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: folder + "/other")
            #expect(try PageTokenFile.token(at: path) != second)
            #expect(try String(contentsOfFile: folder + "/other", encoding: .utf8) == second.text + "\n")
            for text in ["", "short\n", "not a token, not a token, not a token"] {
                try text.write(toFile: path, atomically: false, encoding: .utf8)
                let token = try PageTokenFile.token(at: path)
                #expect(try PageTokenFile.token(at: path) == token)
            }
        }
    }

    @Test func `A folder that cannot be made is an error with its reason`() throws {
        try inFolder { folder in
            try "".write(toFile: folder + "/file", atomically: false, encoding: .utf8)
            #expect {
                try PageTokenFile.token(at: folder + "/file/grocery/token")
            } throws: { ($0 as? PageServerError)?.message.contains("Not a directory") ?? false }
        }
    }
}
