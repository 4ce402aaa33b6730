// An invalid configuration, with its place.
// SPDX-License-Identifier: Apache-2.0

/// The reason for which a configuration is refused, with the file and the line.
package struct ConfigurationError: Error, CustomStringConvertible, Equatable {
    /// The file's path, or the flag's name.
    package var file: String
    /// The line, counted from 1; 0 for the whole file.
    package var line: Int
    /// The fault as a sentence that names the key.
    package var message: String

    package init(file: String, line: Int = 0, message: String) {
        self.file = file
        self.line = line
        self.message = message
    }

    /// `FILE:LINE: message`, as compilers print it.
    package var description: String { line > 0 ? "\(file):\(line): \(message)" : "\(file): \(message)" }
}

extension ConfigurationError {
    /// Makes the error of a container of a configuration.
    init(_ container: ContainerConfiguration, in configuration: DaemonConfiguration, _ fault: String) {
        let source = container.origin == .argument ? "--container" : container.origin.text
        self.init(
            file: source, line: configuration.lines[container.identifier] ?? 0,
            message: "container '\(container.identifier)' at \(container.path): \(fault)")
    }
}
