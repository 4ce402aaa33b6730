// Words as a person would type them into a shell, for the commands that messages suggest.
// SPDX-License-Identifier: Apache-2.0

/// Quoting for suggestions that can be pasted into a shell.
package enum ShellText {
    /// `word` as it is where the shell takes it for one word, else in quotes: single ones, or double ones where that
    /// reads better.
    package static func quoted(_ word: String) -> String {
        let plain = word.unicodeScalars.allSatisfy {
            $0.properties.isAlphabetic || ("0"..."9").contains($0) || "_-./=:,@%+".unicodeScalars.contains($0)
        }
        if plain, !word.isEmpty { return word }
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

    /// `word` in double quotes, which leave the single quotes of a predicate as they are.
    package static func doubleQuoted(_ word: String) -> String {
        var quoted = "\""
        for scalar in word.unicodeScalars {
            if "\"\\$`".unicodeScalars.contains(scalar) { quoted += "\\" }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }
}
