// The requests of Syncthing's REST interface that change something.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
package import Varlink

extension SyncthingClient {
    /// Scans parts of a folder, or all of it, and returns when that is done. Waits while the folder pulls.
    package func scan(_ folder: String, parts: [String] = []) async throws(SyncthingError) {
        try await post(
            "/rest/db/scan", [("folder", folder)] + parts.map { ("sub", $0) }, time: SyncthingLimits.scanTime)
    }

    /// Replaces the ignore patterns of a folder.
    package func setIgnorePatterns(_ patterns: [String], of folder: String) async throws(SyncthingError) {
        let body = JSONBytes { writer in
            writer.beginObject()
            writer.field("ignore", patterns)
            writer.endObject()
        }
        try await post("/rest/db/ignores", [("folder", folder)], body: body)
    }

    /// Adds a folder, or replaces its settings.
    package func putFolder(_ folder: String, _ settings: JSONBytes) async throws(SyncthingError) {
        try await put("/rest/config/folders/" + folder, body: settings)
    }

    /// Changes some settings of a folder.
    package func patchFolder(_ folder: String, _ settings: JSONBytes) async throws(SyncthingError) {
        try await patch("/rest/config/folders/" + folder, body: settings)
    }

    /// Removes a folder from the settings. Its files stay.
    package func deleteFolder(_ folder: String) async throws(SyncthingError) {
        try await delete("/rest/config/folders/" + folder)
    }

    /// Returns the settings of a folder as JSON.
    package func folderJSON(_ folder: String) async throws(SyncthingError) -> JSONBytes {
        try await get("/rest/config/folders/" + folder) { (reader) throws(JSONError) in
            JSONBytes(try reader.copyValue())
        }
    }

    /// Adds a device, or replaces its settings.
    package func putDevice(_ device: String, _ settings: JSONBytes) async throws(SyncthingError) {
        try await put("/rest/config/devices/" + device, body: settings)
    }

    /// Changes some settings of a device.
    package func patchDevice(_ device: String, _ settings: JSONBytes) async throws(SyncthingError) {
        try await patch("/rest/config/devices/" + device, body: settings)
    }

    /// Removes a device.
    package func deleteDevice(_ device: String) async throws(SyncthingError) {
        try await delete("/rest/config/devices/" + device)
    }

    /// Returns the identifier in its usual form. Nil for a text that is no device identifier.
    package func deviceID(_ text: String) async throws(SyncthingError) -> String? {
        try await get("/rest/svc/deviceid", [("id", text)]) { (reader) throws(JSONError) in
            var identifier: String?
            try reader.readFields { (reader) throws(JSONError) in
                if reader.keyIs("id") { identifier = try reader.readString() } else { try reader.skipValue() }
            }
            return identifier
        }
    }
}
