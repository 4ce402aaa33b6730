// Functions of the C library that Swift's module of it leaves out.
// SPDX-License-Identifier: Apache-2.0

package import Glibc

/// The function called `name`, which must have the type `Function`, as its manual page says.
package func cFunction<Function>(_ name: String, as type: Function.Type) -> Function {
    guard let symbol = dlsym(nil, name) else { fatalError("the C library has no \(name)") }
    return unsafeBitCast(symbol, to: type)
}

/// Has a program that is about to be started inherit nothing but the standard descriptors. Tests run side by side, and not
/// every descriptor of theirs closes on exec: a child that stays would keep the socket or the pipe of another test open. In
/// the child alone: a descriptor that another test is about to pass on stays as it is.
package func closeInheritedDescriptors(_ actions: inout posix_spawn_file_actions_t) {
    typealias CloseFrom = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, CInt) -> CInt
    let closeFrom = cFunction("posix_spawn_file_actions_addclosefrom_np", as: CloseFrom.self)
    precondition(closeFrom(&actions, STDERR_FILENO + 1) == 0)
}
