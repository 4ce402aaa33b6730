// The contents of a package as an application keeps them.
// SPDX-License-Identifier: Apache-2.0

/// The contents of a document that is a package: a value that is made from a ``Package``, and gives one back.
///
/// The value may keep the package and change it. Then only changed files are written. A package that is built anew for each save
/// costs reading the files on disk, since equal ones are not written either.
///
/// ```swift
/// struct Album: PackageContents {
///     var package: Package
///     init(package: Package) { self.package = package }
///
///     mutating func add(_ picture: [UInt8], _ identifier: String) throws {
///         try package.set(picture, at: "images/" + identifier)
///     }
/// }
/// ```
public protocol PackageContents: DocumentContents {
    /// Takes the contents of a package. An error refuses the package, and the document keeps its former contents.
    init(package: Package) throws

    /// The contents as a package.
    var package: Package { get throws }
}

extension PackageContents {
    /// Refuses a file, since these contents are a package.
    ///
    /// - Throws: Always ``DocumentError/Code/notADocument``.
    public init(bytes: [UInt8]) throws { throw DocumentError.isPackage }

    /// Not available, since these contents are a package.
    ///
    /// - Throws: Always ``DocumentError/Code/notADocument``.
    public var bytes: [UInt8] { get throws { throw DocumentError.isPackage } }
}

extension DocumentError {
    fileprivate static var isPackage: DocumentError {
        DocumentError(code: .notADocument, message: "the contents are a package, and no bytes", path: "")
    }
}
