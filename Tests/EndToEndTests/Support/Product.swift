// The built programs, as tests run them.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport

/// One of the built programs.
enum Product: String {
    case gatherd
    case gather
    case grocery
    case helper = "gather-syncd"
    /// A program of the tests alone.
    case saver = "DocumentSaver"

    /// Where it lies: in the directory that `GATHER_TEST_PROGRAMS` names, so that what the optimizer made can be tested
    /// too, or beside the bundle of tests.
    var path: String {
        if self != .saver, let directory = ProcessInfo.processInfo.environment["GATHER_TEST_PROGRAMS"] {
            return directory + "/" + rawValue
        }
        let candidates = ["/proc/self/exe"] + CommandLine.arguments.filter { $0.hasSuffix(".xctest") }
        let paths = candidates.map {
            URL(filePath: $0).resolvingSymlinksInPath().deletingLastPathComponent().path() + rawValue
        }
        guard let path = paths.first(where: { access($0, X_OK) == 0 }) else {
            fatalError("\(rawValue) is not in \(paths)")
        }
        return path
    }
}

extension ChildProcess {
    convenience init(
        _ product: Product, _ arguments: [String], environment: [String: String] = [:], input text: String? = "",
        closesOutput: Bool = false
    ) {
        self.init(
            path: product.path, arguments, environment: environment, input: text, closesOutput: closesOutput)
    }
}

/// Runs a program to its end.
func run(
    _ product: Product, _ arguments: String..., environment: [String: String] = [:], input: String = ""
) async -> ChildProcess.Result {
    await ChildProcess(product, arguments, environment: environment, input: input).result()
}
