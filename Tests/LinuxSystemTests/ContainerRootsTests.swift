// The directories of containers, and the paths that lead into them.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LinuxSystem
import Testing

struct ContainerRootsTests {
    /// Passes an empty directory whose path has no symbolic links.
    private func inDirectory(_ body: (String) throws -> Void) throws {
        let path =
            URL(filePath: NSTemporaryDirectory()).resolvingSymlinksInPath().path
            + "/gather-roots-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: path) }
        try body(path)
    }

    private func make(_ path: String) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    private func place(_ path: String) -> [String]? {
        ContainerRoots.place(of: Array(path.utf8)).map {
            [String(decoding: $0.root, as: UTF8.self), String(decoding: $0.rest, as: UTF8.self)]
        }
    }

    private func open(_ path: String) throws(SystemError) { _ = try ContainerRoots.open(Array(path.utf8)) }

    @Test(arguments: ["/box/Documents", "box/Documents", "./other/../box/Documents", "chain"])
    func aLinkThatLeadsBelowAContainerIsInIt(target: String) throws {
        try inDirectory { path in
            for name in ["/box/Documents/list", "/other", "/private/inner"] { try make(path + name) }
            ContainerRoots.add(path + "/box")
            symlink("box/Documents", path + "/chain")
            symlink(target.hasPrefix("/") ? path + target : target, path + "/shop")
            #expect(throws: Never.self) { try open(path + "/shop/list") }
            #expect(place(path + "/shop/list")?.last?.hasSuffix("Documents/list") ?? false)
            symlink(path + "/private", path + "/box/Documents/link")
            for way in ["/shop/link", "/shop/link/inner", "/shop//link/inner/"] {
                #expect(throws: SystemError.tooManyLinks, "\(way)") { try open(path + way) }
            }
        }
    }

    @Test func aLinkThroughAContainersLinkIsRefused() throws {
        try inDirectory { path in
            for name in ["/box/Documents", "/private/inner"] { try make(path + name) }
            ContainerRoots.add(path + "/box")
            symlink(path + "/private", path + "/box/Documents/link")
            symlink(path + "/box/Documents/link/inner", path + "/shop")
            #expect(throws: SystemError.tooManyLinks) { try open(path + "/shop") }
            symlink("private", path + "/own")
            #expect(throws: Never.self) { try open(path + "/own/inner") }
            symlink("loop", path + "/loop")
            #expect(throws: SystemError.tooManyLinks) { try open(path + "/loop") }
            #expect(place(path + "/loop") == nil)
        }
    }

    @Test(arguments: [true, false]) func aContainerInAnotherIsCoveredByThat(outerIsFirst: Bool) throws {
        try inDirectory { path in
            let (outer, inner) = (path + "/box", path + "/box/shared/inner")
            for name in [inner + "/Documents", path + "/private/inner/Documents"] { try make(name) }
            for name in outerIsFirst ? [outer, inner] : [inner, outer] { ContainerRoots.add(name) }
            #expect(place(inner + "/Documents") == [outer, "shared/inner/Documents"])
            #expect(throws: Never.self) { try open(inner + "/Documents") }
            rename(outer + "/shared", outer + "/away")
            symlink(path + "/private", outer + "/shared")
            #expect(throws: SystemError.tooManyLinks) { try open(inner + "/Documents") }
        }
    }

    @Test(arguments: [true, false]) func aContainerBehindALinkOfAnotherIsKept(outerIsFirst: Bool) throws {
        try inDirectory { path in
            let (outer, inner) = (path + "/box", path + "/box/link/inner")
            for name in [outer, path + "/elsewhere/inner/Documents"] { try make(name) }
            symlink(path + "/elsewhere", outer + "/link")
            for name in outerIsFirst ? [outer, inner] : [inner, outer] { ContainerRoots.add(name) }
            #expect(place(inner + "/Documents") == [inner, "Documents"])
            #expect(throws: Never.self) { try open(inner + "/Documents") }
        }
    }

    @Test func aDirectoryIsMadeInOneThatMayNotBeRead() throws {
        try inDirectory { path in
            try make(path + "/box")
            ContainerRoots.add(path + "/box")
            chmod(path + "/box", 0o300)
            defer { chmod(path + "/box", 0o700) }
            _ = try ContainerRoots.openMaking(Array("\(path)/box/.gather/values".utf8), mode: 0o777, parents: 1)
        }
    }
}
