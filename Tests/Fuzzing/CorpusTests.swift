// Each target takes the bytes that are kept for it. So the targets are built and run at each change, and libFuzzer only at night.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

struct CorpusTests {
    private static let corpus = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Corpus")

    @Test func eachTargetHasACorpus() throws {
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: Self.corpus.path).sorted() == fuzzTargets.keys.sorted())
    }

    /// In a process of its own, which a property that does not hold ends.
    @Test func theTargetsTakeTheirCorpus() async {
        await #expect(processExitsWith: .success) {
            for (name, target) in fuzzTargets {
                let folder = CorpusTests.corpus.appending(path: name)
                let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
                guard !files.isEmpty else { exit(EXIT_FAILURE) }
                for file in files { try Data(contentsOf: file).withUnsafeBytes { target.test($0) } }
            }
        }
    }
}
