// The state of the daemon's units in systemd.
// SPDX-License-Identifier: Apache-2.0

enum UnitStates {
    /// Returns the properties of `gatherd.service` and `gatherd.socket`, by unit; empty without systemd.
    static func read(
        _ facts: some SystemFacts, isUser: Bool, _ properties: [String]
    ) -> [String: [String: String]] {
        let arguments = [
            "show", "gatherd.service", "gatherd.socket", "--property=" + (["Id"] + properties).joined(separator: ","),
        ]
        var units: [String: [String: String]] = [:]
        for block in (facts.output(of: "systemctl", (isUser ? ["--user"] : []) + arguments) ?? "").split(
            separator: "\n\n")
        {
            var unit: [String: String] = [:]
            for line in block.split(separator: "\n") {
                guard let sign = line.firstIndex(of: "=") else { continue }
                unit[String(line[..<sign])] = String(line[line.index(after: sign)...])
            }
            if let identifier = unit["Id"] { units[identifier] = unit }
        }
        return units
    }

    /// Whether systemd holds the socket and no daemon runs. A connection would start it.
    static func isAsleep(_ units: [String: [String: String]]) -> Bool {
        let state = units["gatherd.service"]?["ActiveState"]
        return units["gatherd.socket"]?["ActiveState"] == "active" && (state == "inactive" || state == "failed")
    }
}
