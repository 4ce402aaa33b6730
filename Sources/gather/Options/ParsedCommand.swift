// The command that arguments name, and its options as its help shows them.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser

/// The command that arguments name, and its options as its help shows them. The parser of arguments does not lend its own list.
struct ParsedCommand {
    /// The name of the command; empty for `gather` alone.
    let name: String
    let options: Set<String>
    /// The options that take the next argument.
    private let withValue: Set<String>
    /// The options that take the rest of the line.
    private static let last: Set<String> = ["-x", "--exec", "-X", "--exec-batch"]

    init(_ arguments: [String]) {
        var (type, name) = (Gather.self as any ParsableCommand.Type, "")
        for argument in arguments {
            guard let inner = type.configuration.subcommands.first(where: { $0.configuration.commandName == argument })
            else { break }
            type = inner
            if name.isEmpty { name = argument }
        }
        var (options, withValue): (Set<String>, Set<String>) = ([], [])
        for line in Gather.helpMessage(for: type).split(separator: "\n") {
            let text = line.drop { $0 == " " }
            guard line.hasPrefix("  "), text.hasPrefix("-") else { continue }
            let end = text.firstRange(of: "  ")?.lowerBound ?? text.endIndex
            let words = text[..<end].split { " ,/".contains($0) }.map(String.init)
            let names = words.prefix { $0.hasPrefix("-") }
            options.formUnion(names)
            if words.count > names.count { withValue.formUnion(names) }
        }
        (self.name, self.options, self.withValue) = (name, options, withValue)
    }

    /// Returns the arguments that look like options: no value of one, and none behind `--` or in a command of `--exec`.
    func options(in arguments: [String]) -> [String] {
        var found: [String] = []
        var rest = arguments[...]
        while let argument = rest.popFirst(), argument != "--" {
            guard argument.hasPrefix("-") else { continue }
            if options.contains(argument), ParsedCommand.last.contains(argument) { break }
            if withValue.contains(argument) { rest = rest.dropFirst() } else { found.append(argument) }
        }
        return found
    }
}
