// The vocabulary (`Attribute`, `MetadataValue`, `Timestamp`, `FileKind`) is part of the client's API: whoever imports
// GatherKit gets it, so that an application depends on one module only.
// SPDX-License-Identifier: Apache-2.0

@_exported public import Metadata
