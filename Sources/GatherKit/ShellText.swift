// Quotes words for suggested shell commands.
// SPDX-License-Identifier: Apache-2.0

/// Quotes words for suggestions that can be pasted into a shell.
package enum ShellText {
    /// Returns `word` unchanged if the shell takes it for one plain word. Otherwise it is in single quotes, or in
    /// double quotes if that reads better. Control characters are escaped in `$'…'`, as bash and zsh read it.
    package static func quoted(_ word: String) -> String {
        let plain = word.unicodeScalars.allSatisfy {
            $0.properties.isAlphabetic || ("0"..."9").contains($0) || "_-./=:,@%+".unicodeScalars.contains($0)
        }
        if plain, !word.isEmpty { return word }
        if word.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
            return escaped(word)
        }
        let special: Set<Unicode.Scalar> = ["\"", "$", "`", "\\", "!"]
        if word.unicodeScalars.contains("'"), !word.unicodeScalars.contains(where: special.contains) {
            return "\"\(word)\""
        }
        var quoted = "'"
        for scalar in word.unicodeScalars {
            if scalar == "'" { quoted += "'\\''" } else { quoted.unicodeScalars.append(scalar) }
        }
        return quoted + "'"
    }

    private static func escaped(_ word: String) -> String {
        var quoted = "$'"
        for scalar in word.unicodeScalars {
            switch scalar {
            case "'", "\\": quoted += "\\\(scalar)"
            case _ where scalar.properties.generalCategory == .control:
                for byte in Array(String(scalar).utf8) {
                    quoted += "\\x" + (byte < 0x10 ? "0" : "") + String(byte, radix: 16)
                }
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "'"
    }

    /// Returns `word` in double quotes, which keep the single quotes of a predicate.
    package static func doubleQuoted(_ word: String) -> String {
        var quoted = "\""
        for scalar in word.unicodeScalars {
            if "\"\\$`".unicodeScalars.contains(scalar) { quoted += "\\" }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }
}
