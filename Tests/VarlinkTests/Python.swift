// Python's json module as an oracle that owes nothing to the code under test.
// SPDX-License-Identifier: Apache-2.0

import Glibc

enum Python {
    static let isAvailable = access("/usr/bin/python3", X_OK) == 0

    /// Runs `script` with `lines` on its standard input and returns the lines that it prints.
    static func run(_ script: String, lines: [String]) throws -> [String] {
        var template = Array("/tmp/varlink-oracle-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure(what: "mkdtemp", code: errno) }
        let directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let paths = ["script", "in", "out"].map { "\(directory)/\($0)" }
        defer {
            for path in paths { unlink(path) }
            rmdir(directory)
        }
        try write(script, to: paths[0])
        try write(lines.map { $0 + "\n" }.joined(), to: paths[1])
        guard let pipe = popen("/usr/bin/python3 \(paths[0]) < \(paths[1]) > \(paths[2])", "r") else {
            throw Failure(what: "popen", code: errno)
        }
        let status = pclose(pipe)
        guard status == 0 else { throw Failure(what: "python3", code: status) }
        return try read(paths[2]).split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }

    struct Failure: Error {
        var what: String
        var code: CInt
    }

    private static func write(_ text: String, to path: String) throws {
        guard let file = fopen(path, "w") else { throw Failure(what: path, code: errno) }
        defer { fclose(file) }
        var text = text
        let written = text.withUTF8 { fwrite($0.baseAddress, 1, $0.count, file) }
        guard written == text.utf8.count else { throw Failure(what: path, code: errno) }
    }

    private static func read(_ path: String) throws -> String {
        guard let file = fopen(path, "r") else { throw Failure(what: path, code: errno) }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&chunk, 1, chunk.count, file), count > 0 { bytes += chunk[..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }
}

func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef")
    return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
}
