// File names as text that is safe to print.
// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem

/// Makes names safe to print. A file name may have any byte but NUL and `/`. It may have line ends, control sequences
/// of terminals, and bytes that are not UTF-8.
public enum DisplayText {
    /// Returns `bytes` as text for a terminal. Control characters, bidirectional controls and invalid UTF-8 bytes are
    /// escaped: `\n`, `\t`, `\r`, `\e`, `\u{202e}`, `\xff`.
    public static func escaped(_ bytes: some Collection<UInt8>) -> String { TerminalText.escaped(bytes) }

    /// Returns `text` with the same escapes.
    public static func escaped(_ text: String) -> String { TerminalText.escaped(text) }

    /// Returns a path with the same escapes, also of bytes that are not UTF-8.
    public static func escaped(_ path: FilePath) -> String { TerminalText.escaped(path.bytes) }

    /// Returns a name with the same escapes, also of bytes that are not UTF-8.
    public static func escaped(_ name: FilePath.Component) -> String { TerminalText.escaped(name.bytes) }
}
