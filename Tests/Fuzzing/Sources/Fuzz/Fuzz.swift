// Feeds bytes to one of the targets, as libFuzzer asks: `Fuzz TARGET [libFuzzer's options] [CORPUS...]`.
// SPDX-License-Identifier: Apache-2.0

import CLibFuzzer
import Glibc

@main
enum Fuzz {
    // Set once before the first call, and read by the thread that set it.
    nonisolated(unsafe) private static var target: any FuzzTarget.Type = PredicateTarget.self

    static func main() {
        var arguments = CommandLine.arguments
        guard arguments.count > 1, let chosen = fuzzTargets[arguments.remove(at: 1)] else {
            print("usage: Fuzz \(fuzzTargets.keys.sorted().joined(separator: "|")) [options] [corpus]")
            exit(64)
        }
        target = chosen
        // libFuzzer keeps the pointers: they live as long as the program.
        var count = CInt(arguments.count)
        var pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = .allocate(capacity: arguments.count + 1)
        for (place, argument) in arguments.enumerated() { pointers?[place] = strdup(argument) }
        pointers?[arguments.count] = nil
        exit(
            LLVMFuzzerRunDriver(&count, &pointers) { bytes, count in
                Fuzz.target.test(UnsafeRawBufferPointer(start: bytes, count: count))
                return 0
            })
    }
}
