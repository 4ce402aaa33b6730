// The Swift messages against the interfaces that they stand for: neither can change without the other.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Testing
import Varlink

/// Objects that an interface's declared types allow: everything set, and only what must be.
private struct Samples {
    var interface: VarlinkInterface

    func full(_ fields: [VarlinkField]) -> JSONBytes { JSONBytes { write(fields, to: &$0, isFull: true) } }
    func bare(_ fields: [VarlinkField]) -> JSONBytes { JSONBytes { write(fields, to: &$0, isFull: false) } }

    private func write(_ fields: [VarlinkField], to writer: inout JSONWriter, isFull: Bool) {
        writer.beginObject()
        for field in fields where isFull || !field.isOptional {
            writer.key(escaping: field.name)
            write(field.type, to: &writer, isFull: isFull)
        }
        writer.endObject()
    }

    private func write(_ type: VarlinkType, to writer: inout JSONWriter, isFull: Bool) {
        switch type {
        case .bool: writer.bool(true)
        case .int: writer.integer(.max - 1)
        case .float: writer.number(1.5)
        case .string: writer.string("é\"")
        case .object: writer.raw(.emptyObject)
        case .named(let name):
            if let declaration = interface.types[name] { write(declaration.type, to: &writer, isFull: isFull) }
        case .array(let element):
            writer.beginArray()
            for _ in 0..<2 { write(element, to: &writer, isFull: isFull) }
            writer.endArray()
        case .map(let value):
            writer.beginObject()
            writer.key("k")
            write(value, to: &writer, isFull: isFull)
            writer.endObject()
        case .optional(let type): write(type, to: &writer, isFull: isFull)
        case .structure(let fields): write(fields, to: &writer, isFull: isFull)
        case .enumeration(let values): writer.string(values.last ?? "")
        }
    }
}

/// A message read and written again is the same, byte for byte, with all fields and with only the necessary ones; and
/// each necessary field is missed.
private func check<Message: JSONMessage>(
    _ type: Message.Type, _ fields: [VarlinkField], in interface: VarlinkInterface,
    _ sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let samples = Samples(interface: interface)
    for sample in [samples.full(fields), samples.bare(fields)] {
        #expect(interface.invalidField(in: sample, declaredAs: fields) == nil, sourceLocation: sourceLocation)
        #expect(JSONBytes(try sample.decode(type)).text == sample.text, "\(type)", sourceLocation: sourceLocation)
    }
    for field in fields where !field.isOptional {
        let sample = samples.full(fields.filter { $0 != field })
        do throws(JSONError) {
            _ = try sample.decode(type)
            Issue.record("\(type) does not need \(field.name)", sourceLocation: sourceLocation)
        } catch {
            #expect(error.reason == .missingField(field.name), sourceLocation: sourceLocation)
        }
    }
    let grown = samples.bare(fields + [VarlinkField(name: "zz", type: .array(.object))])
    #expect(throws: Never.self, "a later daemon may say more", sourceLocation: sourceLocation) {
        try grown.decode(type)
    }
}

private func check<Method: VarlinkMethod>(_ method: Method.Type, in interface: VarlinkInterface) throws -> String {
    let prefix = interface.name + "."
    #expect(Method.name.hasPrefix(prefix))
    let name = String(Method.name.dropFirst(prefix.count))
    let declaration = try #require(interface.methods[name])
    try check(Method.Request.self, declaration.input, in: interface)
    try check(Method.Reply.self, declaration.output, in: interface)
    return name
}

private func check(_ errors: [any InterfaceError], in interface: VarlinkInterface) throws {
    var names: Set<String> = []
    for error in errors {
        names.insert(error.name)
        let declaration = try #require(interface.errors[error.name])
        let travelling = error.varlinkError
        #expect(travelling.name == interface.name + "." + error.name)
        #expect(interface.invalidField(in: travelling.parameters, declaredAs: declaration.parameters) == nil)
        let back = type(of: error).init(travelling)
        #expect(back.map { "\($0)" } == "\(error)")
        #expect(type(of: error).init(VarlinkError("a.b." + error.name)) == nil)
    }
    #expect(names == Set(interface.errors.keys))
}

@Suite struct ContractTests {
    @Test func query() throws {
        let interface = QueryInterface.interface
        #expect(interface.name == QueryInterface.name)
        #expect(
            try Set([
                check(QueryInterface.Find.self, in: interface), check(QueryInterface.Count.self, in: interface),
                check(QueryInterface.Values.self, in: interface), check(QueryInterface.Watch.self, in: interface),
                check(QueryInterface.Flush.self, in: interface), check(QueryInterface.Explain.self, in: interface),
                check(QueryInterface.Attributes.self, in: interface),
            ]) == Set(interface.methods.keys))
        try check(
            [
                QueryError.invalidPredicate(message: "m\"", position: 5), .unknownAttribute("a"),
                .unknownScope("s", containers: ["a"]), .unknownTimeZone("z"),
                .evaluationFailed(message: "m"), .limitExceeded(limit: "l", value: 7),
                .syncTimeout(containers: ["a", "b"]),
            ], in: interface)
    }

    @Test func container() throws {
        let interface = ContainerInterface.interface
        #expect(interface.name == ContainerInterface.name)
        #expect(
            try Set([
                check(ContainerInterface.List.self, in: interface), check(ContainerInterface.Get.self, in: interface),
                check(ContainerInterface.Add.self, in: interface), check(ContainerInterface.Remove.self, in: interface),
                check(ContainerInterface.Rescan.self, in: interface),
                check(ContainerInterface.Accept.self, in: interface),
                check(ContainerInterface.Monitor.self, in: interface),
                check(ContainerInterface.Share.self, in: interface),
                check(ContainerInterface.ReadableBy.self, in: interface),
            ]) == Set(interface.methods.keys))
        try check(
            [
                ContainerError.noSuchContainer(identifier: "a"), .containerExists(identifier: "a"),
                .invalidContainer(identifier: "a", message: "m"),
                .containerUnavailable(identifier: "a", message: "m"),
            ], in: interface)
    }

    @Test func sync() throws {
        let interface = SyncInterface.interface
        #expect(interface.name == SyncInterface.name)
        #expect(
            try Set([
                check(SyncInterface.Attach.self, in: interface), check(SyncInterface.Report.self, in: interface),
                check(SyncInterface.States.self, in: interface),
            ]) == Set(interface.methods.keys))
        try check(
            [
                SyncError.noSuchContainer(identifier: "a"), .notShared(identifier: "a"), .noSuchSession(session: 7),
                .superseded(identifier: "a"),
            ], in: interface)
    }

    @Test func service() throws {
        let interface = ServiceInterface.interface
        #expect(interface.name == ServiceInterface.name)
        #expect(
            try Set([
                check(ServiceInterface.Status.self, in: interface), check(ServiceInterface.Reload.self, in: interface),
                check(ServiceInterface.Metrics.self, in: interface),
            ]) == Set(interface.methods.keys))
        try check([ServiceError.invalidConfiguration(file: "f", line: 3, message: "m")], in: interface)
    }

    @Test func sharing() throws {
        let interface = SharingInterface.interface
        #expect(interface.name == SharingInterface.name)
        #expect(
            try Set([
                check(SharingInterface.Status.self, in: interface), check(SharingInterface.Check.self, in: interface),
                check(SharingInterface.Share.self, in: interface), check(SharingInterface.Unshare.self, in: interface),
                check(SharingInterface.AddDevice.self, in: interface),
                check(SharingInterface.RemoveDevice.self, in: interface),
                check(SharingInterface.Evict.self, in: interface), check(SharingInterface.Download.self, in: interface),
            ]) == Set(interface.methods.keys))
        try check(
            [
                SharingError.notRunning(reason: "r"), .noSuchContainer(identifier: "a"), .notShared(identifier: "a"),
                .noSuchDevice(device: "d"), .invalidDevice(device: "d\""), .notUploaded(path: "p", reason: "r"),
                .noSuchItem(path: "p"), .failed(message: "m"),
            ], in: interface)
    }

    @Test func enumerations() throws {
        func values(_ name: String, of interface: VarlinkInterface) -> [String] {
            guard case .enumeration(let values)? = interface.types[name]?.type else { return [] }
            return values
        }
        func known<Value: OpenEnumeration>(_ type: Value.Type) -> [String] {
            type.allCases.filter { $0 != .other }.map(\.rawValue)
        }
        #expect(known(WatchEvent.self) == values("Event", of: QueryInterface.interface))
        #expect(known(ItemKind.self) == values("Kind", of: QueryInterface.interface))
        #expect(known(ItemScope.self) == values("Scope", of: QueryInterface.interface))
        #expect(known(ContainerState.self) == values("State", of: ContainerInterface.interface))
        #expect(known(SyncDownload.self) == values("Download", of: SyncInterface.interface))
        #expect(known(MetricKind.self) == values("MetricKind", of: ServiceInterface.interface))
        let unknown = try JSONBytes("\"brandNew\"").decode(WatchEvent.self)
        #expect(unknown == .other)
    }

    @Test func everyMemberIsDocumentedWhereItNeedsTo() {
        for interface in [
            QueryInterface.interface, ContainerInterface.interface, ServiceInterface.interface,
            SharingInterface.interface,
        ] {
            #expect(!interface.documentation.isEmpty)
        }
        #expect(
            QueryInterface.interface.methods["Watch"]?.documentation.hasPrefix("Starts a live query; needs `more`.")
                == true)
    }
}
