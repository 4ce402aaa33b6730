// gather download: brings evicted items back.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherKit
internal import Glibc

struct DownloadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "download",
        abstract: "Bring evicted files back from another device.",
        usage: "gather download [<options>] <path> ...",
        discussion: """
            It waits until the files are here, also for a device that is away. After Ctrl-C they come all the same, as soon as \
            they can. A directory stands for all evicted files in it. Files that are here already are left alone.

            A terminal shows the progress. With --json, each step is an object with path, done and total.

            EXAMPLES
              gather download Pictures/2019/cake.jpg
              gather download Pictures/2019 && eog Pictures/2019
            """)

    @Argument(help: "Files or directories.", completion: .file())
    var paths: [String]

    @Flag(help: "Print one JSON object a line.")
    var json = false

    @OptionGroup var helper: HelperChoice

    mutating func run() throws {
        let places = try paths.map { try SharedPath.absolute($0) }
        var client = try BlockingSharingClient(helper.target)
        let json = json
        let showsBar = !json && Terminal.isTerminal(STDERR_FILENO)
        var hasBar = false
        try client.download(places) { step in
            if json {
                var line = JSONLine()
                line.add("path", step.path)
                line.add("done", step.done)
                line.add("total", step.total)
                var output = Output()
                output.line(line.bytes())
                output.flush()
            } else if showsBar, step.total > 0 {
                let bar = SyncStatusText.bar(Double(step.done) / Double(step.total), isUnicode: Terminal.isUnicode)
                let sizes = "\(Readable.size(Int64(step.done))) of \(Readable.size(Int64(step.total)))"
                let text = Array("\r\u{1B}[K\(DisplayText.escaped("\(bar) \(sizes)"))".utf8)
                _ = text.withUnsafeBytes { Output.write($0, to: STDERR_FILENO) }
                hasBar = true
            }
        }
        if hasBar { _ = Array("\n".utf8).withUnsafeBytes { Output.write($0, to: STDERR_FILENO) } }
    }
}
