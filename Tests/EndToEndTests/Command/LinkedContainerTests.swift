// A container whose path has a symbolic link in it, with files named by the link and by where it leads.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestSupport
import Testing

@Suite struct LinkedContainerTests {
    /// A daemon whose container `box` is a link to the directory `real`.
    private func start() async throws -> (daemon: TestDaemon, real: String) {
        let daemon = try await TestDaemon { box in
            let real = box + "-real"
            try Change.directory(real)
            try Change.directory(real + "/sub")
            try Change.directory(real + "/sub/deep")
            try Change.write("1234", to: real + "/sub/f")
            try Change.link(real + "/sub/f", real + "/sub/deep/f")
            // A link within the tree that leads back into it.
            try Change.symlink(real + "/sub", real + "/loop")
            try #require(rmdir(box) == 0)
            try Change.symlink(real, box)
        }
        return (daemon, daemon.box + "-real")
    }

    @Test func `find looks below a directory named in either spelling`() async throws {
        let (daemon, real) = try await start()
        let elsewhere = daemon.directory + "/elsewhere"
        try Change.symlink(real + "/sub", elsewhere)
        let expected = ["\(daemon.box)/sub/deep", "\(daemon.box)/sub/deep/f", "\(daemon.box)/sub/f"]
        for directory in [
            daemon.box + "/sub", real + "/sub", daemon.box + "/loop", elsewhere, elsewhere + "/../sub",
            daemon.box + "/loop/../sub/",
        ] {
            let found = await daemon.gather("find", "", "--in", directory, "--sort", "path")
            #expect(found.status == 0, "\(directory): \(found.errors)")
            #expect(found.lines == expected, "\(directory)")
            #expect(await daemon.gather("count", "", "--in", directory).text == "3\n", "\(directory)")
        }
        let all = await daemon.gather("find", "", "--in", real)
        #expect(all.lines.count == 5 && all.lines.allSatisfy { $0.hasPrefix(daemon.box + "/") }, "\(all.text)")
        let outside = await daemon.gather("find", "", "--in", daemon.directory)
        #expect(outside.status == 64 && outside.errors.contains("--container box"), "\(outside.errors)")
    }

    @Test func `show finds a file named in either spelling`() async throws {
        let (daemon, real) = try await start()
        for path in [daemon.box + "/sub/f", real + "/sub/f", daemon.box + "/loop/f", real + "/loop/../sub/f"] {
            let shown = await daemon.gather("show", path, "--attributes", "path,size")
            #expect(shown.text == "path = \"\(daemon.box)/sub/f\"\nsize = 4\n", "\(path): \(shown.errors)")
        }
        let deep = await daemon.gather("show", real + "/sub/deep/f", "--attributes", "path")
        #expect(deep.text == "path = \"\(daemon.box)/sub/deep/f\"\n", "\(deep.errors)")
        let loop = await daemon.gather("show", real + "/loop", "--attributes", "path,kind")
        #expect(loop.text == "path = \"\(daemon.box)/loop\"\nkind = \"symlink\"\n", "\(loop.errors)")
        for path in [daemon.box, real, real + "/."] {
            let root = await daemon.gather("show", path)
            #expect(
                root.status != 0 && root.errors.contains("is the directory of the container 'box'"), "\(root.errors)")
            #expect(!root.errors.contains("container add"))
        }
    }

    @Test func `--embedded reads a directory named by a link`() async throws {
        let (daemon, real) = try await start()
        for directory in [daemon.box + "/sub", real + "/sub"] {
            let found = await ChildProcess(.gather, ["find", "name == 'f'", "--embedded", "--in", directory]).result()
            #expect(Set(found.lines) == ["\(real)/sub/f", "\(real)/sub/deep/f"], "\(directory): \(found.errors)")
            for arguments in [[], ["--in", directory]] {
                let shown = await ChildProcess(
                    .gather, ["show", directory + "/f", "--attributes", "size", "--embedded"] + arguments
                ).result()
                #expect(shown.text == "size = 4\n", "\(directory): \(shown.errors)")
            }
        }
    }
}
