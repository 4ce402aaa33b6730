// A configuration that cannot be used, and where it says so.
// SPDX-License-Identifier: Apache-2.0

/// A configuration file that is refused: which, where, and why in words.
package struct ConfigurationError: Error, CustomStringConvertible, Equatable {
    /// The file's path, or the flag's name.
    package var file: String
    /// The line, counted from 1; 0 where the whole file is meant.
    package var line: Int
    /// What is wrong, in words, naming the key.
    package var message: String

    package init(file: String, line: Int = 0, message: String) {
        self.file = file
        self.line = line
        self.message = message
    }

    /// `FILE:LINE: message`, as compilers print it.
    package var description: String { line > 0 ? "\(file):\(line): \(message)" : "\(file): \(message)" }
}
