// Errors of documents and versions.
// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem

/// A failed operation on a document or a version.
///
/// ``code`` is for the program, ``message`` for its user. The message is a sentence without a full stop that names the
/// failed operation and the reason.
public struct DocumentError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of an error. Codes may be added; treat an unknown one as a general failure.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The code's name.
        public let rawValue: String

        /// Makes a code from its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// There is no such file, or its folder is missing.
        public static let notFound = Code(rawValue: "notFound")
        /// The contents are on other devices only, and cannot be downloaded now.
        public static let notDownloaded = Code(rawValue: "notDownloaded")
        /// A file has this name already.
        public static let exists = Code(rawValue: "exists")
        /// An entry of the folder has the same name in other case. Other systems keep one of the two only.
        public static let nameDiffersInCase = Code(rawValue: "nameDiffersInCase")
        /// This user may not read or write there, or the file system is read-only.
        public static let permissionDenied = Code(rawValue: "permissionDenied")
        /// The file system is full, or the quota of this user is used up.
        public static let noSpace = Code(rawValue: "noSpace")
        /// Another process held the lock of the folder for too long.
        public static let locked = Code(rawValue: "locked")
        /// Another program writes to the file all the time.
        public static let busy = Code(rawValue: "busy")
        /// A name is too long for conflict versions, empty, or has a slash.
        public static let invalidName = Code(rawValue: "invalidName")
        /// The entry is neither a file nor a package.
        public static let notADocument = Code(rawValue: "notADocument")
        /// The file is larger than ``DocumentLimits/contentBytes``.
        public static let tooLarge = Code(rawValue: "tooLarge")
        /// A package has more than ``DocumentLimits/packageEntries`` entries.
        public static let tooManyEntries = Code(rawValue: "tooManyEntries")
        /// A package has more than ``DocumentLimits/packageDepth`` folders in one another.
        public static let tooDeep = Code(rawValue: "tooDeep")
        /// The file has versions in conflict, which would stay behind.
        public static let inConflict = Code(rawValue: "inConflict")
        /// A folder on the path, below the container's own directory, is a symbolic link, or the path leaves the container. Nothing is
        /// opened then, since the link could lead out of a shared container.
        public static let symbolicLink = Code(rawValue: "symbolicLink")
        /// A package has an entry that is neither a file, a folder nor a symbolic link, such as a socket.
        public static let specialFile = Code(rawValue: "specialFile")
        /// The application could not use the contents.
        public static let invalidContents = Code(rawValue: "invalidContents")
        /// The document is not open.
        public static let closed = Code(rawValue: "closed")
        /// The version is the current one, or it is gone.
        public static let invalidVersion = Code(rawValue: "invalidVersion")
        /// Another error of the system; ``DocumentError/errno`` has its number.
        public static let system = Code(rawValue: "system")
    }

    /// The kind of the error.
    public let code: Code
    /// A sentence for a person, without a full stop.
    public let message: String
    /// The path of the file or folder.
    public let path: String
    /// The number of the system's error, if a system call failed (errno(3)).
    public let errno: Int32?

    /// Makes an error from its parts.
    public init(code: Code, message: String, path: String, errno: Int32? = nil) {
        self.code = code
        self.message = message
        self.path = path
        self.errno = errno
    }

    /// Makes the error of a failed system call. `operation` is the failed operation, such as "cannot save".
    init(_ operation: String, _ path: String, _ error: SystemError) {
        let code: Code =
            switch error {
            case .noEntry, .notDirectory, .stale, .noDevice: .notFound
            case .exists, .notEmpty: .exists
            case .noAccess, .notPermitted, .readOnly: .permissionDenied
            case .noSpace, .quota: .noSpace
            case .nameTooLong: .invalidName
            case .tooManyLinks: .notADocument
            default: .system
            }
        self.init(code: code, message: "\(operation) \(path): \(error.description)", path: path, errno: error.code)
    }

    /// Makes the error of a directory that cannot be opened.
    ///
    /// - Parameter crossingMounts: Whether mount points were allowed on the path. If not, `EXDEV` may be one.
    init(opening path: [UInt8], _ error: SystemError, crossingMounts: Bool = true) {
        let text = String(decoding: path, as: UTF8.self)
        guard error == .tooManyLinks || error == .crossesDevice && crossingMounts, ContainerRoots.place(of: path) != nil
        else {
            self.init("cannot open the folder", text, error)
            return
        }
        // Another program may have removed the link by now.
        let link = ContainerRoots.link(on: path).map { String(decoding: $0, as: UTF8.self) }
        let reason =
            error == .crossesDevice
            ? "it is not in its container"
            : "\(link ?? "a folder on the path") is a symbolic link, and nothing below it is opened"
        self.init(
            code: .symbolicLink, message: "cannot open the folder \(text): \(reason)", path: text, errno: error.code)
    }

    /// Returns the result of a system call, with the errors of documents.
    static func of<Value: ~Copyable>(
        _ operation: String, _ path: String, _ call: () throws(SystemError) -> Value
    ) throws(DocumentError) -> Value {
        do throws(SystemError) { return try call() } catch { throw DocumentError(operation, path, error) }
    }

    /// Returns this device, with the errors of documents.
    static func currentDevice() throws(DocumentError) -> DeviceIdentifier {
        do throws(DeviceIdentifierError) { return try DeviceIdentifier.current() } catch {
            throw DocumentError(code: .system, message: error.description, path: error.path ?? "", errno: error.errno)
        }
    }

    /// The message.
    public var description: String { message }
}
