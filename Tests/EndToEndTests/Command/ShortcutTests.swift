// The short options of fd, with a real daemon.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import Glibc
import TestSupport
import Testing

@Suite(.serialized)
struct ShortcutTests {
    @Test func shortOptionsFindAsFdDoes() async throws {
        let daemon = try await TestDaemon()
        let box = daemon.box
        try Change.directory(box + "/Reports")
        for name in ["Reports/report.pdf", "Reports/Report-2.PDF", "report.txt", "big.bin", ".report.pdf"] {
            try Change.write(name == "big.bin" ? String(repeating: "x", count: 20_000) : "1", to: "\(box)/\(name)")
        }
        try Change.chmod(box + "/report.txt", 0o755)
        try Change.symlink("report.txt", box + "/link")
        let past = timespec(tv_sec: time(nil) - 864_000, tv_nsec: 0)
        #expect(utimensat(AT_FDCWD, box + "/report.txt", [past, past], 0) == 0)
        for (arguments, expected) in [
            (["-e", "pdf", "-t", "f", "report"], ["Reports/Report-2.PDF", "Reports/report.pdf"]),
            (["-e", "pdf", "-t", "f", "Report"], ["Reports/Report-2.PDF"]),
            (["-e", ".pdf", "--hidden"], [".report.pdf", "Reports/Report-2.PDF", "Reports/report.pdf"]),
            (["-t", "d"], ["Reports"]), (["-t", "d,l"], ["Reports", "link"]),
            (["-t", "d", "-t", "l"], ["Reports", "link"]),
            (["--size", "+10k"], ["big.bin"]), (["--size", "-1k", "-e", "txt"], ["report.txt"]),
            (["-S", "20000b"], ["big.bin"]),
            (["-t", "x"], ["report.txt"]), (["-g", "report.*"], ["Reports/report.pdf", "report.txt"]),
            (["--changed-before", "7d"], ["report.txt"]), (["--changed-before", "2000-01-01"], []),
            (["--changed-within", "7d", "-e", "txt", "-e", "bin"], ["big.bin"]),
            (["size > 10KB OR kind == 'directory'", "-t", "f"], ["big.bin"]),
            (["name BEGINSWITH '.'", "-t", "f"], [".report.pdf"]),
        ] {
            let found = await ChildProcess(.gather, ["find", "--socket", daemon.socket.path] + arguments).result()
            #expect(found.status == 0, "\(arguments): \(found.errors)")
            #expect(found.lines.map { String($0.dropFirst(box.count + 1)) }.sorted() == expected, "\(arguments)")
            let count = await ChildProcess(.gather, ["count", "--socket", daemon.socket.path] + arguments).result()
            #expect(count.text == "\(expected.count)\n", "\(arguments)")
        }
        let values = await daemon.gather("values", "fileExtension", "-t", "f")
        #expect(Set(values.lines) == ["1\tpdf", "1\tPDF", "1\ttxt", "1\tbin"], "\(values.errors)")
        let watch = ChildProcess(.gather, ["watch", "-e", "bin", "--socket", daemon.socket.path])
        #expect(await watch.nextLine() == "  \(box)/big.bin")
        watch.kill(SIGINT)
        _ = await watch.result()
        let explained = await daemon.gather("explain", "-e", "pdf", "-t", "f", "report")
        #expect(
            explained.lines.first
                == "predicate   name CONTAINS[c] 'report' AND fileExtension ==[c] 'pdf' AND kind == 'file' AND hidden == FALSE",
            "\(explained.text) \(explained.errors)")
    }

    @Test func wrongValuesAndNoQuestionAtAllAreUsageErrors() async throws {
        let daemon = try await TestDaemon()
        for arguments in [
            [], ["-t", "q"], ["-t", "f,q"], ["--size", "+10Q"], ["--size", "ten"], ["--changed-within", "soon"],
            ["--changed-before", "7"], ["--size", "99999999999999999999"],
        ] {
            let result = await ChildProcess(.gather, ["find", "--socket", daemon.socket.path] + arguments).result()
            #expect(result.status == 64 && result.text == "", "\(arguments)")
        }
    }
}
