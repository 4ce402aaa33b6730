// The settings that folders need for Gather.
// SPDX-License-Identifier: Apache-2.0

import Syncthing
import Varlink

/// The settings that folders need for Gather, as JSON for Syncthing.
enum FolderDefaults {
    /// Seconds between scans of the whole folder, which find the changes that the feed missed.
    static let rescanInterval: Int64 = 86_400
    /// All versions in conflict are kept.
    static let maxConflicts: Int64 = -1

    /// Returns the settings of a new folder.
    static func settings(
        folder: String, label: String, path: String, devices: [String], isPaused: Bool,
        carriesExtendedAttributes: Bool
    ) -> JSONBytes {
        JSONBytes { writer in
            writer.beginObject()
            writer.field("id", folder)
            writer.field("label", label)
            writer.field("path", path)
            writer.field("type", "sendreceive")
            writer.field("paused", isPaused)
            writer.field("rescanIntervalS", rescanInterval)
            // gatherd's feed of changes starts the scans.
            writer.field("fsWatcherEnabled", false)
            writer.field("caseSensitiveFS", true)
            writer.field("maxConflicts", maxConflicts)
            if carriesExtendedAttributes {
                writer.field("syncXattrs", true)
                writer.key("xattrFilter")
                writeFilter(&writer)
            }
            writer.key("devices")
            writer.beginArray()
            for device in devices {
                writer.beginObject()
                writer.field("deviceID", device)
                writer.endObject()
            }
            writer.endArray()
            writer.endObject()
        }
    }

    private static func writeFilter(_ writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("entries")
        writer.beginArray()
        for (match, permit) in [("user.xdg.*", true), ("user.gather.*", true), ("*", false)] {
            writer.beginObject()
            writer.field("match", match)
            writer.field("permit", permit)
            writer.endObject()
        }
        writer.endArray()
        writer.field("maxSingleEntrySize", Int64(0))
        writer.field("maxTotalSize", Int64(0))
        writer.endObject()
    }

    /// Ends the pause of a folder.
    static let running = pause(false)
    static let paused = pause(true)

    private static func pause(_ isPaused: Bool) -> JSONBytes {
        JSONBytes { writer in
            writer.beginObject()
            writer.field("paused", isPaused)
            writer.endObject()
        }
    }

    /// Returns a change that has Syncthing start the folder anew, and so try its downloads at once. The setting means the
    /// same before and after: 0 stands for the default. Another number changes by a second, now up, now down.
    static func startAnew(pullerPause: Int64) -> JSONBytes {
        let usual = FolderSettings.defaultPullerPause
        let pause =
            pullerPause == 0
            ? usual : pullerPause == usual ? 0 : pullerPause.clampedAdding(pullerPause.isMultiple(of: 2) ? -1 : 1)
        return JSONBytes { writer in
            writer.beginObject()
            writer.field("pullerPauseS", pause)
            writer.endObject()
        }
    }

    /// Returns the devices in the settings of a folder, each as its own JSON.
    static func devices(_ settings: JSONBytes) throws(JSONError) -> [String: JSONBytes] {
        var devices: [String: JSONBytes] = [:]
        try settings.read { (reader) throws(JSONError) in
            try reader.beginObject()
            while try reader.nextKey() {
                guard reader.keyIs("devices") else {
                    try reader.skipValue()
                    continue
                }
                if try reader.readNullIfPresent() { continue }
                try reader.beginArray()
                while try reader.nextElement() {
                    let value = JSONBytes(try reader.copyValue())
                    devices[try value.read { (reader) throws(JSONError) in try FolderDevice(from: &reader) }.device] =
                        value
                }
            }
        }
        return devices
    }

    /// Returns a change of the devices of a folder. Devices in `kept` stay as they are.
    static func patch(devices: [String], keeping kept: [String: JSONBytes]) -> JSONBytes {
        JSONBytes { writer in
            writer.beginObject()
            writer.key("devices")
            writer.beginArray()
            for device in devices {
                if let value = kept[device] {
                    writer.raw(value)
                } else {
                    writer.beginObject()
                    writer.field("deviceID", device)
                    writer.endObject()
                }
            }
            writer.endArray()
            writer.endObject()
        }
    }
}
