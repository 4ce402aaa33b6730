// The vocabulary (`Attribute`, `MetadataValue`, `Timestamp`, `FileKind`) and swift-system's `FilePath` are part of the client's API.
// Importing GatherKit provides them, so that an application depends on one module only.
// SPDX-License-Identifier: Apache-2.0

@_exported public import Metadata

@_exported public import struct SystemPackage.FilePath
