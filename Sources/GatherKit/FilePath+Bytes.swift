// Paths as the bytes that Gather works with. A path need not be UTF-8.
// SPDX-License-Identifier: Apache-2.0

package import SystemPackage

extension FilePath {
    /// Makes a path of bytes, without a NUL at the end.
    package init(bytes: some Sequence<UInt8>) {
        self.init(platformString: bytes.map { CChar(bitPattern: $0) } + [0])
    }

    /// The bytes of the path, without a NUL at the end.
    package var bytes: [UInt8] { withPlatformString { Array(UnsafeRawBufferPointer(start: $0, count: length)) } }
}

extension FilePath.Component {
    /// Makes a name of bytes; nil if they are empty, or have a slash or a NUL.
    package init?(bytes: some Collection<UInt8>) {
        guard !bytes.contains(UInt8(ascii: "/")), !bytes.contains(0) else { return nil }
        self.init(platformString: bytes.map { CChar(bitPattern: $0) } + [0])
    }

    /// The bytes of the name, without a NUL at the end.
    package var bytes: [UInt8] { FilePath(root: nil, [self]).bytes }
}
