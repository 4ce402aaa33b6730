// A value on its way to another thread.
// SPDX-License-Identifier: Apache-2.0

/// Takes a value to another thread, which alone uses it until it is joined.
struct UncheckedBox<Value>: @unchecked Sendable { let value: Value }
