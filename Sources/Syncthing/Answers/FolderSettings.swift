// A folder of /rest/config/folders.
// SPDX-License-Identifier: Apache-2.0

internal import Metadata
package import Varlink

/// A folder as Syncthing is set up for it.
package struct FolderSettings: Sendable, Hashable {
    package var folder: String
    package var label: String = ""
    package var path: String
    package var type: String = "sendreceive"
    /// This device is one of them.
    package var devices: [FolderDevice] = []
    package var isPaused: Bool = false
    /// Seconds.
    package var rescanInterval: Int64 = 0
    package var watchesItself: Bool = false
    /// Seconds before a failed download is tried again, the first time. 0 stands for ``defaultPullerPause``.
    package var pullerPause: Int64 = 0
    package var reserve = DiskReserve()
    package var isCaseSensitive: Bool = false
    package var maxConflicts: Int64 = 0
    package var markerName: String = SyncthingName.marker
    /// Nil in versions that cannot.
    package var carriesExtendedAttributes: Bool?

    package static let defaultPullerPause: Int64 = 60

    package init(from reader: inout JSONReader) throws(JSONError) {
        let start = reader.position
        var folder: String?
        var label: String = ""
        var path: String?
        var type: String = "sendreceive"
        var devices: [FolderDevice] = []
        var isPaused: Bool = false
        var rescanInterval: Int64 = 0
        var watchesItself: Bool = false
        var pullerPause: Int64 = 0
        var reserve = DiskReserve()
        var isCaseSensitive: Bool = false
        var maxConflicts: Int64 = 0
        var markerName: String = SyncthingName.marker
        var carriesExtendedAttributes: Bool?
        try reader.readFields { (reader) throws(JSONError) in
            if reader.keyIs("id") {
                folder = try reader.readString()
            } else if reader.keyIs("label") {
                label = try reader.readString()
            } else if reader.keyIs("path") {
                path = try reader.readString()
            } else if reader.keyIs("type") {
                type = try reader.readString()
            } else if reader.keyIs("devices") {
                devices = try reader.readList { (reader) throws(JSONError) in try FolderDevice(from: &reader) }
            } else if reader.keyIs("paused") {
                isPaused = try reader.readBool()
            } else if reader.keyIs("rescanIntervalS") {
                rescanInterval = try reader.readInteger()
            } else if reader.keyIs("fsWatcherEnabled") {
                watchesItself = try reader.readBool()
            } else if reader.keyIs("pullerPauseS") {
                pullerPause = try reader.readInteger()
            } else if reader.keyIs("minDiskFree") {
                reserve = try DiskReserve(from: &reader)
            } else if reader.keyIs("caseSensitiveFS") {
                isCaseSensitive = try reader.readBool()
            } else if reader.keyIs("maxConflicts") {
                maxConflicts = try reader.readInteger()
            } else if reader.keyIs("markerName") {
                markerName = try reader.readString()
            } else if reader.keyIs("syncXattrs") {
                carriesExtendedAttributes = try reader.readBool()
            } else {
                try reader.skipValue()
            }
        }
        guard let folder else { throw JSONError(.missingField("id"), at: start) }
        guard let path else { throw JSONError(.missingField("path"), at: start) }
        self.folder = folder
        self.label = label
        self.path = path
        self.type = type
        self.devices = devices
        self.isPaused = isPaused
        self.rescanInterval = rescanInterval
        self.watchesItself = watchesItself
        self.pullerPause = pullerPause
        self.reserve = reserve
        self.isCaseSensitive = isCaseSensitive
        self.maxConflicts = maxConflicts
        self.markerName = markerName
        self.carriesExtendedAttributes = carriesExtendedAttributes
    }
}
