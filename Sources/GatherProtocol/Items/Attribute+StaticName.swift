// The names of attributes as constants, for comparing keys without making strings.
// SPDX-License-Identifier: Apache-2.0

internal import Metadata

extension Attribute {
    /// As `name`, as a constant.
    var staticName: StaticString {
        switch self {
        case .id: "id"
        case .parent: "parent"
        case .name: "name"
        case .path: "path"
        case .displayName: "displayName"
        case .fileExtension: "fileExtension"
        case .container: "container"
        case .scope: "scope"
        case .kind: "kind"
        case .size: "size"
        case .created: "created"
        case .modified: "modified"
        case .changed: "changed"
        case .owner: "owner"
        case .ownerID: "ownerID"
        case .group: "group"
        case .groupID: "groupID"
        case .mode: "mode"
        case .inode: "inode"
        case .device: "device"
        case .links: "links"
        case .depth: "depth"
        case .hidden: "hidden"
        case .tags: "tags"
        }
    }
}
