// The element <gui> of Syncthing's configuration file.
// SPDX-License-Identifier: Apache-2.0

/// The settings of Syncthing's web and REST interface.
struct GUISettings: Hashable {
    var isEnabled = true
    var isTLS = false
    var address = ""
    var key = ""

    /// Finds the element in a configuration file.
    init(parsing bytes: [UInt8]) throws(XMLError) {
        var path: [String] = []
        var isFound = false
        for part in try XMLReader.parts(of: bytes) {
            switch part {
            case .start(let name, let attributes):
                path.append(name)
                guard path == ["configuration", "gui"] else { continue }
                isFound = true
                isEnabled = attributes["enabled"].map { $0 == "true" } ?? true
                isTLS = attributes["tls"] == "true"
            case .end: path.removeLast()
            case .text(let text):
                if path == ["configuration", "gui", "address"] { address += text }
                if path == ["configuration", "gui", "apikey"] { key += text }
            }
        }
        guard isFound else { throw XMLError(message: "<configuration> has no <gui>", line: 1) }
        address = GUISettings.trimmed(address)
        key = GUISettings.trimmed(key)
    }

    private static func trimmed(_ text: String) -> String {
        guard let first = text.firstIndex(where: { !$0.isWhitespace }),
            let last = text.lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(text[first...last])
    }
}
