// Functions of the C library that Swift's module of it leaves out.
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The function called `name`, which must have the type `Function`, as its manual page says.
func cFunction<Function>(_ name: String, as type: Function.Type) -> Function {
    guard let symbol = dlsym(nil, name) else { fatalError("the C library has no \(name)") }
    return unsafeBitCast(symbol, to: type)
}
