// A service as its clients see it: its interfaces, and org.varlink.service, which it answers itself.
// SPDX-License-Identifier: Apache-2.0

/// A service's description of itself and the interfaces it offers. Checks each call before it is handled: the method must
/// exist and the parameters must be as declared. Answers `org.varlink.service` itself.
package struct VarlinkService: Sendable {
    /// Where a call goes.
    package enum Route: Sendable, Hashable {
        /// To the service's own code: the method exists and the parameters are as declared.
        case handler
        /// Nowhere: the answer is this.
        case reply(JSONBytes)
        /// Nowhere: the answer is this error.
        case fail(VarlinkError)
    }

    private let information: JSONBytes
    private let interfaces: [String: VarlinkInterface]
    private let methodsThatNeedMore: Set<String>

    /// A service with its `interfaces`, beside which it always has `org.varlink.service`. A call without `more` to one
    /// of `methodsThatNeedMore` (full names) is answered with `ExpectedMore`.
    package init(
        vendor: String, product: String, version: String, url: String, interfaces: [VarlinkInterface],
        methodsThatNeedMore: Set<String> = []
    ) {
        let all = [VarlinkService.ownInterface] + interfaces
        self.interfaces = Dictionary(all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        self.methodsThatNeedMore = methodsThatNeedMore
        information = JSONBytes { writer in
            writer.beginObject()
            writer.field("vendor", vendor)
            writer.field("product", product)
            writer.field("version", version)
            writer.field("url", url)
            writer.field("interfaces", all.map(\.name))
            writer.endObject()
        }
    }

    /// The interface with this name.
    package func interface(_ name: String) -> VarlinkInterface? { interfaces[name] }

    /// Where `call` goes.
    package func route(_ call: VarlinkCallMessage) -> Route {
        guard let dot = call.method.lastIndex(of: ".") else { return .fail(.methodNotFound(call.method)) }
        let interfaceName = String(call.method[..<dot])
        guard let interface = interfaces[interfaceName] else { return .fail(.interfaceNotFound(interfaceName)) }
        guard let method = interface.methods[String(call.method[call.method.index(after: dot)...])] else {
            return .fail(.methodNotFound(call.method))
        }
        if let parameter = interface.invalidParameter(in: call.parameters, of: method) {
            return .fail(.invalidParameter(parameter))
        }
        guard interfaceName != VarlinkService.ownInterface.name else { return answer(method.name, call.parameters) }
        if !call.more, methodsThatNeedMore.contains(call.method) { return .fail(.expectedMore) }
        return .handler
    }

    private func answer(_ method: String, _ parameters: JSONBytes) -> Route {
        guard method == "GetInterfaceDescription" else { return .reply(information) }
        var name = ""
        do {
            try parameters.read { (reader) throws(JSONError) in
                try reader.beginObject()
                while try reader.nextKey() {
                    if reader.keyIs("interface") { name = try reader.readString() } else { try reader.skipValue() }
                }
            }
        } catch {
            return .fail(.invalidParameter("interface"))
        }
        guard let interface = interfaces[name] else { return .fail(.interfaceNotFound(name)) }
        return .reply(
            JSONBytes { writer in
                writer.beginObject()
                writer.field("description", interface.text)
                writer.endObject()
            })
    }

    /// `org.varlink.service`, as varlink.org describes it.
    package static let ownInterface: VarlinkInterface = {
        do { return try VarlinkInterface(parsing: ownInterfaceText) } catch {
            preconditionFailure("org.varlink.service: \(error)")
        }
    }()

    private static let ownInterfaceText = """
        # The Varlink Service Interface is provided by every varlink service. It
        # describes the service and the interfaces it implements.
        interface org.varlink.service

        # Get a list of all the interfaces a service provides and information
        # about the implementation.
        method GetInfo() -> (
          vendor: string,
          product: string,
          version: string,
          url: string,
          interfaces: []string
        )

        # Get the description of an interface that is implemented by this service.
        method GetInterfaceDescription(interface: string) -> (description: string)

        # The requested interface was not found.
        error InterfaceNotFound (interface: string)

        # The requested method was not found
        error MethodNotFound (method: string)

        # The interface defines the requested method, but the service does not
        # implement it.
        error MethodNotImplemented (method: string)

        # One of the passed parameters is invalid.
        error InvalidParameter (parameter: string)

        # Client is denied access
        error PermissionDenied ()

        # Method is expected to be called with 'more' set to true, but wasn't
        error ExpectedMore ()

        """
}
