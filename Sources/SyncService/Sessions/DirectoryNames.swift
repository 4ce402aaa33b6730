// The names in a directory.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// The names in a directory.
enum DirectoryNames {
    /// Returns the names that are UTF-8, in order; nil for a path that is no directory that can be read.
    static func of(_ path: String) -> [String]? {
        // Only a directory is opened: to open a device can have effects.
        guard let parent = try? ContainerRoots.openParent(of: path),
            let directory = try? Directory.open(
                parent.name, beneath: parent.directory.number, access: .reading, crossingMounts: true)
        else { return nil }
        var names: [String] = []
        do throws(SystemError) {
            try Directory.forEachName(in: directory.number) { name in
                if let name = String(validating: name, as: UTF8.self) { names.append(name) }
            }
        } catch {
            return nil
        }
        return names.sorted()
    }
}
