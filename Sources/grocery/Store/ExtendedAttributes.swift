// The system calls on extended attributes, which Swift's module of the C library leaves out.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// xattr(7). `<sys/xattr.h>` is not in Swift's Glibc module, and an application of ours has no C of its own; so the
/// functions are looked up once in the C library that is loaded anyway.
enum ExtendedAttributes {
    private typealias Set =
        @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeRawPointer?, Int, CInt) -> CInt
    private typealias SetOpen = @convention(c) (CInt, UnsafePointer<CChar>, UnsafeRawPointer?, Int, CInt) -> CInt
    private typealias Get =
        @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeMutableRawPointer?, Int) -> Int
    private typealias List = @convention(c) (UnsafePointer<CChar>, UnsafeMutablePointer<CChar>?, Int) -> Int
    private typealias Remove = @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>) -> CInt

    private static let set = function("setxattr", as: Set.self)
    private static let setOpen = function("fsetxattr", as: SetOpen.self)
    private static let get = function("getxattr", as: Get.self)
    private static let list = function("listxattr", as: List.self)
    private static let remove = function("removexattr", as: Remove.self)

    /// The types above are those of the manual pages; every C library of Linux has had these functions since 2002.
    private static func function<Function>(_ name: String, as type: Function.Type) -> Function {
        guard let symbol = dlsym(nil, name) else { preconditionFailure("the C library has no \(name)") }
        return unsafeBitCast(symbol, to: type)
    }

    /// Sets an attribute of the file at `path`; false with errno where that failed.
    static func set(_ name: String, to value: [UInt8], at path: String) -> Bool {
        value.withUnsafeBytes { set(path, name, $0.baseAddress, $0.count, 0) } == 0
    }

    /// Sets an attribute of an open file; false with errno where that failed.
    static func set(_ name: String, to value: [UInt8], of descriptor: CInt) -> Bool {
        value.withUnsafeBytes { setOpen(descriptor, name, $0.baseAddress, $0.count, 0) } == 0
    }

    /// Removes an attribute; false with errno where that failed.
    static func remove(_ name: String, at path: String) -> Bool { remove(path, name) == 0 }

    /// The value of an attribute; nil with errno where there is none or it cannot be read.
    static func value(_ name: String, at path: String) -> [UInt8]? {
        while true {
            let length = get(path, name, nil, 0)
            guard length >= 0 else { return nil }
            var value = [UInt8](repeating: 0, count: length + 64)
            let filled = value.withUnsafeMutableBytes { get(path, name, $0.baseAddress, $0.count) }
            // It may have grown between the calls.
            if filled < 0, errno == ERANGE { continue }
            return filled < 0 ? nil : Array(value[..<filled])
        }
    }

    /// The names of the attributes; nil with errno where they cannot be read.
    static func names(at path: String) -> [String]? {
        while true {
            let length = list(path, nil, 0)
            guard length >= 0 else { return nil }
            var names = [CChar](repeating: 0, count: length + 256)
            let filled = list(path, &names, names.count)
            if filled < 0, errno == ERANGE { continue }
            guard filled >= 0 else { return nil }
            return names[..<filled].split(separator: 0).map {
                String(decoding: $0.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            }
        }
    }
}
