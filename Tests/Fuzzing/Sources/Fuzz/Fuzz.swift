// Feeds bytes to one of the targets, as libFuzzer asks: `Fuzz TARGET [libFuzzer's options] [CORPUS...]`.
// SPDX-License-Identifier: Apache-2.0

import CLibFuzzer
import Glibc

/// A test that is fed with bytes. It ends the program if a property does not hold.
protocol FuzzTarget: SendableMetatype {
    static func test(_ bytes: UnsafeRawBufferPointer)
}

@main
enum Fuzz {
    static let targets: [String: any FuzzTarget.Type] = [
        "predicate": PredicateTarget.self, "json": JSONTarget.self, "framing": FramingTarget.self,
        "state": StateTarget.self, "kept": HandoverTarget.self,
    ]

    // Set once before the first call, and read by the thread that set it.
    nonisolated(unsafe) private static var target: any FuzzTarget.Type = PredicateTarget.self

    static func main() {
        var arguments = CommandLine.arguments
        guard arguments.count > 1, let chosen = targets[arguments.remove(at: 1)] else {
            print("usage: Fuzz \(targets.keys.sorted().joined(separator: "|")) [options] [corpus]")
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

/// Ends the program unless a property holds; libFuzzer then keeps the bytes that were fed.
func expect(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { fatalError(message()) }
}
