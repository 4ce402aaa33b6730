// Options before the command's name, as systemctl takes them.
// SPDX-License-Identifier: Apache-2.0

/// The choice of the daemon may stand before the command too: `gather --system reload` is `gather reload --system`.
enum LeadingOptions {
    /// The arguments with such options moved behind the rest, where the parser of each command looks for them; a `--`
    /// stays behind them.
    static func moved(_ arguments: some Collection<String>) -> [String] {
        var rest = Array(arguments)
        var options: [String] = []
        while let first = rest.first {
            if first == "--user" || first == "--system" || first == "--embedded" || first.hasPrefix("--socket=") {
                options.append(rest.removeFirst())
            } else if first == "--socket", rest.count > 1 {
                options += [rest.removeFirst(), rest.removeFirst()]
            } else {
                break
            }
        }
        rest.insert(contentsOf: options, at: rest.firstIndex(of: "--") ?? rest.endIndex)
        return rest
    }
}
