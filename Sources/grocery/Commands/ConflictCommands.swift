// grocery conflicts and grocery resolve.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherDocuments
internal import GroceryModel

struct ConflictsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conflicts", abstract: "Show the items with versions in conflict.",
        discussion: """
            An item whose own file is gone, while other versions of it are there, is shown too. Resolve it to have it back.

            EXAMPLES
              grocery conflicts
            """)

    @OptionGroup var options: ListOptions

    mutating func run() async throws {
        let list = try await options.list()
        let items = try await list.items().filter(\.isInConflict).sortedByName()
        let (found, unreadable) = try await list.lostItems()
        let lost = found.sortedByName()
        Output.print(
            items.map { "\($0.id.short)  \($0.line)  (\($0.conflictVersions + 1) versions)" }
                + lost.map { item in
                    let versions = item.conflictVersions == 1 ? "1 version" : "\(item.conflictVersions) versions"
                    return "\(item.id.short)  \(item.line)  (\(versions); its own file is gone)"
                })
        if Output.isTerminal {
            Output.note(
                items.isEmpty && lost.isEmpty && unreadable.isEmpty
                    ? "no item is in conflict" : "to see and resolve one: grocery resolve ITEM")
        }
        let failures = unreadable.map { "\($0.item.title) is left out: \($0.reason)" }.sorted()
        for failure in failures.dropLast() { Output.note(failure) }
        if let last = failures.last { throw Problem(last) }
    }
}

struct ResolveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resolve",
        abstract: "Show the versions of an item side by side, and keep one, all or a merged one.",
        discussion: """
            Without --keep the versions are shown with their numbers. Versions that are not kept go to the trash, and 'grocery undo' \
            brings them back. A merged item has the tags of all versions, all notes, and the first value of the other fields; --take \
            chooses another version for a field.

            EXAMPLES
              grocery resolve flour
              grocery resolve flour --keep 2
              grocery resolve flour --keep merged --take quantity=2
            """)

    @Argument(help: ItemArgument.help)
    var item: String

    @Option(help: "current, newest, both, merged, or the number of a version.")
    var keep: String?

    @Option(
        help: ArgumentHelp(
            "A field and the number of the version that it comes from. May be repeated.", valueName: "field=number"))
    var take: [String] = []

    @OptionGroup var options: ListOptions

    mutating func run() async throws {
        let list = try await options.list()
        let name = item
        var items = try await list.items()
        if !items.contains(where: { $0.hasName(name) }) {
            let (lost, unreadable) = try await list.lostItems()
            items += lost + unreadable.map(\.item)
        }
        let item = try items.named(name)
        let versions = try await list.versions(of: item.id)
        guard versions.contains(where: { !$0.isCurrent }) else {
            throw Problem("\(item.title) has no versions in conflict")
        }
        guard let keep else {
            guard take.isEmpty else { throw Problem("--take needs --keep merged", status: 64) }
            return Output.print(
                VersionTable(versions).lines + ["", "Keep one with: grocery resolve \(item.id.short) --keep NUMBER"])
        }
        try await list.resolve(item.id, keeping: try resolution(keep, versions), shown: versions)
        Output.print(["the conflict of \(item.title) is resolved"])
    }

    private func resolution(_ keep: String, _ versions: [ItemVersion]) throws(Problem) -> Resolution {
        guard take.isEmpty || keep == "merged" else { throw Problem("--take needs --keep merged", status: 64) }
        switch keep {
        case "both", "all": return .both
        case "current":
            guard let current = versions.first(where: \.isCurrent) else { throw Problem("the current version is gone") }
            return .version(current)
        case "newest":
            guard let newest = versions.max(by: { $0.modified < $1.modified }) else {
                throw Problem("there is no version")
            }
            return .version(newest)
        case "merged": return .merged(try merged(versions))
        default:
            return .version(try version(keep, versions))
        }
    }

    private func version(_ text: some StringProtocol, _ versions: [ItemVersion]) throws(Problem) -> ItemVersion {
        guard let number = Int(text), number >= 1, number <= versions.count else {
            throw Problem(
                "--keep takes current, newest, both, merged or a number from 1 to \(versions.count), not '\(text)'",
                status: 64)
        }
        return versions[number - 1]
    }

    private func merged(_ versions: [ItemVersion]) throws(Problem) -> ItemContents {
        var merged = versions[0].contents
        var open: Set<ItemField> = []
        for version in versions.dropFirst() {
            let (next, conflicts) = merged.combined(with: version.contents)
            merged = next
            open.formUnion(conflicts)
        }
        for choice in take {
            let parts = choice.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, let field = ItemField(rawValue: String(parts[0])) else {
                throw Problem(
                    "--take is FIELD=NUMBER with \(ItemField.allCases.map(\.rawValue).joined(separator: ", "))",
                    status: 64)
            }
            let chosen = try version(parts[1], versions).contents
            switch field {
            case .name: merged.name = chosen.name
            case .quantity: merged.quantity = chosen.quantity
            case .bought: merged.isBought = chosen.isBought
            case .tags: merged.tags = chosen.tags
            case .picture: merged.picture = chosen.picture
            case .note: merged.note = chosen.note
            case .others: merged.otherLines = chosen.otherLines
            }
            open.remove(field)
        }
        guard open.isEmpty else {
            let fields = open.map(\.rawValue).sorted()
            throw Problem(
                "the versions differ in \(fields.joined(separator: " and ")); choose with: \(fields.map { "--take \($0)=NUMBER" }.joined(separator: " "))"
            )
        }
        return merged
    }
}
