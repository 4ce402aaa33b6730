// gather conflicts resolve: keeps one version of a file, or all.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherDocuments
internal import GatherKit
internal import Glibc

struct ConflictsResolveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resolve",
        abstract: "Keep one version of a file, or all of them.",
        usage: "gather conflicts resolve [<options>] <path> ...",
        discussion: """
            The path is that of the file or of one of its versions. The versions that are not kept go to the trash of their \
            container (.gather/trash), or with --delete are removed. A terminal is asked which version to keep if no option \
            says so.

            --keep current keeps the file as it is, and --keep newest the version that was saved last. --keep both keeps every \
            version as a file of its own. A number in the list or a path keeps that version.

            --tool runs a merge tool for each version as TOOL FILE VERSION, and with --three for two versions at once as \
            TOOL VERSION FILE VERSION. The tool works on copies, and saves the merged text to FILE. If that has other contents then, \
            which are not empty, and the tool ended with status 0, they become those of the file, and the versions are resolved.

            EXAMPLES
              gather conflicts resolve notes.txt
              gather conflicts resolve notes.txt --keep current
              gather conflicts resolve notes.txt --keep 2
              gather conflicts resolve notes.txt --tool 'meld --auto-merge'
              gather conflicts resolve *.md --identical
            """)

    @Argument(help: ArgumentHelp("The files.", valueName: "path"), completion: .file())
    var paths: [String]

    @Option(
        help: ArgumentHelp("Keep this version: current, newest, both, a number or a path.", valueName: "version"),
        completion: .list(["current", "newest", "both"]))
    var keep: String?

    @Option(help: ArgumentHelp("Merge with this program.", valueName: "command"))
    var tool: String?

    @Flag(help: "Give the tool two versions at once, the file between them.")
    var three = false

    @Flag(help: "Only drop versions whose contents equal the file or another version.")
    var identical = false

    @Flag(help: "Remove versions in place of moving them to the trash.")
    var delete = false

    @OptionGroup var daemon: ConnectionOptions

    mutating func validate() throws {
        if [keep != nil, tool != nil, identical].count(where: { $0 }) > 1 {
            throw ValidationError("Choose one of --keep, --tool and --identical.")
        }
        if three, tool == nil { throw ValidationError("--three goes with --tool.") }
    }

    mutating func run() throws {
        var bytes = ArgumentBytes()
        var status: Int32 = 0
        daemon.target.learnContainers()
        for path in paths {
            do {
                try resolve(try ConflictPlace(bytes.bytes(of: path)))
            } catch let error as DocumentError {
                Output.note(DisplayText.escaped(error.message))
                status = max(status, ExitStatus.failure)
            } catch let failure as Failure {
                // The other files are still resolved.
                Output.note(failure.message)
                status = max(status, failure.status)
            }
        }
        if status != 0 { throw ExitCode(status) }
    }

    private func resolve(_ place: ConflictPlace) throws {
        let shown = place.shown
        if identical {
            let removed = try FileVersion.removeIdentical(of: place.original)
            return say("\(shown): \(Readable.count(removed.count, "identical version", "identical versions")) dropped")
        }
        let versions = try FileVersion.conflicts(of: place.original)
        guard !versions.isEmpty else { throw Failure("\(shown) has no versions in conflict") }
        if let tool { return try merge(versions, place, tool) }
        // Only these are dropped: another one may come meanwhile, which the user has not seen.
        let all = try FileVersion.allConflicts(of: place.original)
        let current = try FileVersion.current(of: place.original)
        let choice = try keep ?? ask(versions, current, place)
        if choice != "both" { try place.requireFile() }
        guard try FileVersion.current(of: place.original) == current else {
            throw Failure("\(shown) was changed meanwhile; nothing was resolved")
        }
        // Found before anything is changed.
        let trash = try delete ? nil : place.trash(daemon.target)
        var chosen: FileVersion?
        switch choice {
        case "current":
            guard current != nil else {
                throw Failure("\(shown) does not exist; keep one of its versions: newest, both, or a number")
            }
        case "both":
            for version in try place.distinct(versions) {
                let path = try version.keepAsFile()
                say("\(DisplayText.escaped(version.path.bytes)) is now \(DisplayText.escaped(path.bytes))")
            }
        case "newest":
            if let newest = all.first, newest.modified > current?.modified ?? Timestamp(nanoseconds: .min) {
                chosen = newest
            }
        default: chosen = try place.version(choice, of: versions, all)
        }
        if let chosen {
            let kept = Set(try chosen.replaceCurrent())
            // The former contents of the file, if they are those that were seen.
            for version in try FileVersion.allConflicts(of: place.original)
            where kept.contains(version.path) && current.map({ version.isSameFile(as: $0) }) == true {
                try drop(version, trash)
            }
        }
        // With `both`, the remaining file equals a version that was kept.
        for version in all where version != chosen { try drop(version, trash) }
        try requireNoVersions(place)
        if choice != "both" { say("\(shown) is resolved") }
    }

    /// Refuses to call a file resolved that has versions which came or changed meanwhile.
    private func requireNoVersions(_ place: ConflictPlace) throws {
        let rest = try FileVersion.allConflicts(of: place.original)
        guard rest.isEmpty else {
            let versions = Readable.count(rest.count, "new version", "new versions")
            throw Failure("\(place.shown) has \(versions) in conflict")
        }
    }

    private func say(_ text: String) {
        var output = Output()
        output.line(text)
        output.flush()
    }

    // MARK: Dropping

    /// Moves a version to the trash, or removes it. One that is gone by now is no error.
    private func drop(_ version: FileVersion, _ trash: Trash?) throws {
        do throws(DocumentError) {
            if let trash { try version.move(to: trash) } else { try version.remove() }
        } catch {
            guard try FileVersion.allConflicts(of: version.originalPath).contains(version) else { return }
            throw error
        }
    }

    // MARK: Asking

    private func ask(_ versions: [FileVersion], _ current: FileVersion?, _ place: ConflictPlace) throws -> String {
        guard Terminal.isTerminal(STDIN_FILENO), Terminal.isTerminal(STDERR_FILENO) else {
            throw Failure(
                status: ExitStatus.usage,
                "which version of \(place.shown) is to be kept? Use --keep current|newest|both|NUMBER, or --tool"
            )
        }
        var table = Table(header: [("", false), ("author", false), ("size", true), ("modified", false)])
        for (label, version) in [("current", current)] + versions.enumerated().map({ ("\($0 + 1)", $1) }) {
            guard let version else { continue }
            table.add([
                Table.Cell(label), Table.Cell(version.author.map { DisplayText.escaped($0.name) } ?? "unknown"),
                Table.Cell(Readable.size(version.size), alignsRight: true),
                Table.Cell(Readable.time(version.modified), .dim),
            ])
        }
        Output.prompt(
            ([place.shown]
                + table.lines(color: Terminal.hasColor(STDERR_FILENO), width: Terminal.width))
                .joined(separator: "\n") + "\nKeep which? [current, newest, both, 1...\(versions.count)] ")
        guard let answer = readLine()?.split(separator: " ").first.map(String.init) else {
            throw Failure("nothing was changed")
        }
        return answer
    }

    // MARK: Merging

    private func merge(_ versions: [FileVersion], _ place: ConflictPlace, _ tool: String) throws {
        let words = tool.split(separator: " ").map { Array($0.utf8) }
        guard !words.isEmpty else { throw Failure(status: ExitStatus.usage, "--tool wants a program") }
        try place.requireFile()
        let trash = try delete ? nil : place.trash(daemon.target)
        Signals.installForCommands()
        let all = try FileVersion.allConflicts(of: place.original)
        var rest = versions[...]
        while let first = rest.popFirst() {
            let merging = [first] + (three ? rest.popFirst().map { [$0] } ?? [] : [])
            let current = try FileVersion.current(of: place.original)
            let files = try MergeFiles(place.original.bytes, current, merging)
            let merged = try files.run(words)
            do throws(DocumentError) {
                try FileVersion.save(merged, of: place.original, over: current, files.former, trash: trash)
            } catch {
                throw Failure("\(DisplayText.escaped(error.message)). \(files.left)")
            }
            files.remove()
            for version in merging { try drop(version, trash) }
        }
        // Others had the contents of one that was merged.
        for version in all where !versions.contains(version) { try drop(version, trash) }
        try requireNoVersions(place)
        say("\(place.shown) is resolved")
    }
}
