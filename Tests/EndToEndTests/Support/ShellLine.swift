// A line of a document, run by a shell as its reader would.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport
import Testing

enum ShellLine {
    /// Runs a line in a directory, with the built programs in PATH. A line that is live must print a line and ends by
    /// SIGINT with status 130; any other must end with status 0.
    static func run(
        _ line: String, in directory: String, environment: [String: String], program: Product, isLive: Bool
    ) async -> ChildProcess.Result {
        var environment = environment
        environment["PATH"] = URL(filePath: program.path).deletingLastPathComponent().path() + ":/usr/bin:/bin"
        // The shell replaces itself by the last command, which so gets its signals.
        let process = ChildProcess(
            path: "/bin/bash", ["-euc", "cd '\(directory)'; \(line)"], environment: environment)
        guard isLive else {
            let result = await process.result()
            #expect(result.status == 0, "\(line): \(result.errors)")
            return result
        }
        #expect(await process.nextLine() != nil, "\(line)")
        process.kill(SIGINT)
        let result = await process.result()
        #expect(result.status == 130, "\(line)")
        return result
    }
}
