// A reference of the engine's parts to the engine, which is made after them.
// SPDX-License-Identifier: Apache-2.0

/// Refers to the engine without keeping it alive. Nil before it is complete, and after its end. Event loop only.
final class EngineReference {
    weak var engine: Engine?
}
