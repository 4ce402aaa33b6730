// Options before the command's name, as systemctl takes them.
// SPDX-License-Identifier: Apache-2.0

/// Options for the choice of the daemon before the command: `gather --system reload` is `gather reload --system`, and
/// `gather -H attic count ''` is `gather count '' --host attic`.
enum LeadingOptions {
    private static let withValue: Set<String> = ["--socket", "--host", "--hosts-from"]

    /// Returns the arguments with such options moved behind the rest, where the parser of each command looks for them. A `--` and an
    /// option that takes the rest of the line stay behind them.
    static func moved(_ arguments: some Collection<String>) -> [String] {
        var rest = Array(arguments)
        var options: [String] = []
        while let first = rest.first {
            if first == "--user" || first == "--system" || first == "--embedded"
                || withValue.contains(where: { first.hasPrefix($0 + "=") })
            {
                options.append(rest.removeFirst())
            } else if withValue.contains(first), rest.count > 1 {
                options += [rest.removeFirst(), rest.removeFirst()]
            } else if first.hasPrefix("-H"), first.count > 2 || rest.count > 1 {
                // Before the command only: behind it, -H is the one of fd.
                rest.removeFirst()
                options += ["--host", first.count > 2 ? String(first.dropFirst(2)) : rest.removeFirst()]
            } else {
                break
            }
        }
        let last: Set<String> = ["--", "--exec", "--exec-batch", "-x", "-X"]
        rest.insert(contentsOf: options, at: rest.firstIndex { last.contains($0) } ?? rest.endIndex)
        return rest
    }
}
