// Errors of documents, versions, devices and key-value stores.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import LinuxSystem
internal import Metadata

/// A failed operation on a document, a version, a container, a device's identifier or a key-value store.
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
        /// The file is larger than ``DocumentLimits/contentBytes``. A key-value file would have more than 64 MiB.
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
        /// Another directory is at the path of the container: another disk, an empty mount point or a copy. No file is read from it or
        /// saved to it. Unsaved changes stay, and are saved when the container's own directory is back.
        public static let anotherContainer = Code(rawValue: "anotherContainer")
        /// A package has an entry that is neither a file, a folder nor a symbolic link, such as a socket.
        public static let specialFile = Code(rawValue: "specialFile")
        /// The application could not use the contents.
        public static let invalidContents = Code(rawValue: "invalidContents")
        /// The document is not open, or the key-value store was closed.
        public static let closed = Code(rawValue: "closed")
        /// The version is the current one, or it is gone.
        public static let invalidVersion = Code(rawValue: "invalidVersion")
        /// This device has no identifier.
        public static let unidentifiedDevice = Code(rawValue: "unidentifiedDevice")
        /// The key has more than ``KeyValueLimits/longestKey`` bytes.
        public static let keyTooLong = Code(rawValue: "keyTooLong")
        /// The store has ``KeyValueLimits/mostKeys`` keys or more, and this would be a new one.
        public static let tooManyKeys = Code(rawValue: "tooManyKeys")
        /// All values together would exceed ``KeyValueLimits/largestContents``.
        public static let tooManyBytes = Code(rawValue: "tooManyBytes")
        /// The value has more than ``KeyValueLimits/deepestNesting`` arrays or dictionaries in one another.
        public static let nestedTooDeeply = Code(rawValue: "nestedTooDeeply")
        /// The value has a double that is infinite or no number.
        public static let notFinite = Code(rawValue: "notFinite")
        /// A device has set the key with the latest possible time, so no change can follow.
        public static let clockExhausted = Code(rawValue: "clockExhausted")
        /// A text is not the ``DeviceIdentifier/text`` of another device.
        public static let notAnotherDevice = Code(rawValue: "notAnotherDevice")
        /// A file of a device in a key-value store cannot be read, so the device is not folded in.
        public static let unreadable = Code(rawValue: "unreadable")
        /// Another error of the system; ``DocumentError/errno`` has its number.
        public static let system = Code(rawValue: "system")
    }

    /// The kind of the error.
    public let code: Code
    /// A sentence for a person, without a full stop.
    public let message: String
    /// The path of the file or folder; nil if the error is about none.
    public let path: String?
    /// The key of a key-value store; nil if the error is about none.
    public let key: String?
    /// The number of the system's error, if a system call failed (errno(3)).
    public let errno: Int32?

    /// Makes an error from its parts.
    public init(code: Code, message: String, path: String? = nil, key: String? = nil, errno: Int32? = nil) {
        self.code = code
        self.message = message
        self.path = path
        self.key = key
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

    /// Makes the error of a directory that was not opened.
    init(opening path: [UInt8], _ failure: KnownContainers.Failure) {
        switch failure {
        case .system(let error): self.init(opening: path, error)
        case .stranger(let stranger, let root):
            let (text, place) = (String(decoding: path, as: UTF8.self), String(decoding: root, as: UTF8.self))
            self.init(
                code: .anotherContainer,
                message: "cannot open the folder \(text): the container at \(place) is unavailable: \(stranger.reason)",
                path: text)
        }
    }

    /// Returns the result of a system call, with the errors of documents.
    static func of<Value: ~Copyable>(
        _ operation: String, _ path: String, _ call: () throws(SystemError) -> Value
    ) throws(DocumentError) -> Value {
        do throws(SystemError) { return try call() } catch { throw DocumentError(operation, path, error) }
    }

    /// The message.
    public var description: String { message }
}
