// The wire, certified: by programs of other implementations and by our own, each as the client and as the service.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import NIOCore
import NIOPosix
import Testing

@testable import Varlink

struct CertificationTests {
    @Test(arguments: CertificationProgram.available) func ourServiceIsCertifiedBy(_ program: CertificationProgram)
        async throws
    {
        try await serving { path in
            let (said, status) = program.certify(serviceAt: path)
            #expect(status == 0, "\(said)")
            // The first ends with the last answer, the second with its verdict.
            #expect(said.contains("End: 'true'") || said.contains("Certification passed"), "\(said)")
        }
    }

    @Test(arguments: CertificationProgram.available) func ourClientsAreCertifiedBy(_ program: CertificationProgram)
        async throws
    {
        try await inDirectory { path in
            try await program.serve(at: path) {
                try await certify(serviceAt: path)
                try certifyBlocking(serviceAt: path)
            }
        }
    }

    @Test func ourClientsAreCertifiedByOurService() async throws {
        try await serving { path in
            try await certify(serviceAt: path)
            try certifyBlocking(serviceAt: path)
        }
    }

    @Test func theServiceHoldsEveryCallToTheLetter() async throws {
        let wrong = [
            // Out of turn; with another value; more than was asked; of a client that never started.
            ("Test02", #"{"client_id": "CLIENT", "bool": true}"#, "CertificationError"),
            ("End", #"{"client_id": "CLIENT"}"#, "CertificationError"),
            ("Start", "{}", nil),
            ("Test01", #"{"client_id": "nobody"}"#, "ClientIdError"),
            ("Test01", #"{"client_id": "CLIENT"}"#, nil),
        ]
        try await serving { path in
            for (method, parameters, error) in wrong {
                var client = try BlockingVarlinkClient(path: path)
                let started = try JSONValue(client.call("\(Certification.name).Start"))
                guard case .string(let name)? = started["client_id"] else {
                    Issue.record("no client_id: \(started)")
                    return
                }
                let filled = JSONBytes(parameters.replacing("CLIENT", with: name))
                var failure: VarlinkClientError?
                do throws(VarlinkClientError) {
                    _ = try client.call("\(Certification.name).\(method)", filled)
                } catch {
                    failure = error
                }
                switch (failure, error) {
                case (nil, nil): break
                case (.error(let got)?, let wanted?): #expect(got.name == "\(Certification.name).\(wanted)")
                default: Issue.record("\(method) \(filled.text): \(String(describing: failure))")
                }
            }
            // A client that was wrong once is out.
            var client = try BlockingVarlinkClient(path: path)
            let started = try JSONValue(client.call("\(Certification.name).Start"))
            let parameters = JSONValue.object(["client_id": started["client_id"] ?? .null])
            _ = try client.call("\(Certification.name).Test01", parameters.bytes)
            for error in ["CertificationError", "ClientIdError"] {
                do {
                    let bytes = try JSONValue(JSONBytes(#"{"bool": false}"#)).merging(parameters).bytes
                    _ = try client.call("\(Certification.name).Test02", bytes)
                    Issue.record("a wrong value was taken")
                } catch VarlinkClientError.error(let got) {
                    #expect(got.name == "\(Certification.name).\(error)")
                }
            }
        }
    }

    // MARK: The course, with our clients

    private func certify(serviceAt path: String) async throws {
        let client = try await VarlinkClient.connect(path: path, on: .singletonMultiThreadedEventLoopGroup)
        var answers = JSONValue.object([:])
        var name: JSONValue?
        for step in Certification.steps {
            let method = "\(Certification.name).\(step.method)"
            let parameters = parameters(of: step, answers, name)
            var replies: [JSONValue] = []
            if step.more {
                for try await reply in client.callMore(method, parameters.bytes) {
                    replies.append(try JSONValue(reply))
                }
            } else if step.oneway {
                try await client.callOneway(method, parameters.bytes)
            } else {
                replies = [try JSONValue(try await client.call(method, parameters.bytes))]
            }
            name = name ?? replies.first?["client_id"]
            answers = try follow(step, replies)
        }
        await client.close()
    }

    private func certifyBlocking(serviceAt path: String) throws {
        var client = try BlockingVarlinkClient(path: path)
        var answers = JSONValue.object([:])
        var name: JSONValue?
        for step in Certification.steps {
            let method = "\(Certification.name).\(step.method)"
            let parameters = parameters(of: step, answers, name)
            var replies: [JSONValue] = []
            if step.more {
                try client.callMore(method, parameters.bytes) { reply in
                    replies.append(try JSONValue(reply))
                    return true
                }
            } else if step.oneway {
                try client.callOneway(method, parameters.bytes)
            } else {
                replies = [try JSONValue(try client.call(method, parameters.bytes))]
            }
            name = name ?? replies.first?["client_id"]
            answers = try follow(step, replies)
        }
    }

    /// The parameters of a call: the answers before it, and from the second one on the client's identifier.
    private func parameters(of step: Certification.Step, _ answers: JSONValue, _ name: JSONValue?) -> JSONValue {
        step.method == "Start" ? answers : answers.merging(.object(["client_id": name ?? .null]))
    }

    /// Holds the replies to what is to be answered, and makes of them what the next call brings.
    private func follow(_ step: Certification.Step, _ replies: [JSONValue]) throws -> JSONValue {
        if step.method == "Start" { return .object([:]) }
        // One service names the client in an answer once more; and what lies within MyType differs from one to another: it
        // is theirs to recognize when it comes back.
        let got = replies.map { $0.removing("client_id") }
        let wanted = try step.replies.map { try JSONValue(JSONBytes($0)) }
        if step.method == "Test09" {
            #expect(got.count == 1 && got.first?["mytype"]?["enum"] == .string("two"), "\(got)")
        } else {
            #expect(got == wanted, "\(step.method)")
        }
        if step.more { return .object(["last_more_replies": .array(replies.compactMap { $0["string"] })]) }
        return got.first ?? .object([:])
    }

    // MARK: The service

    private func serving(_ body: @escaping (String) async throws -> Void) async throws {
        try await inDirectory { path in
            let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            let loop = group.next()
            let server = try await loop.flatSubmit {
                do {
                    let service = VarlinkService(
                        vendor: "Gather", product: "Certification", version: "1", url: "https://varlink.org",
                        interfaces: [try VarlinkInterface(parsing: Certification.interface)])
                    let server = VarlinkServer(eventLoop: loop, service: service, handler: CertificationService())
                    let bound = NIOLoopBound(server, eventLoop: loop)
                    return try server.listen(path: path, mode: 0o600).map { bound }
                } catch {
                    return loop.makeFailedFuture(error)
                }
            }.get()
            let result: Result<Void, any Error>
            do { result = .success(try await body(path)) } catch { result = .failure(error) }
            try await loop.flatSubmit { server.value.close() }.get()
            try await group.shutdownGracefully()
            try result.get()
        }
    }

    private func inDirectory(_ body: (String) async throws -> Void) async throws {
        var template = Array("/tmp/varlink-judge-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw CertificationProgram.Errno(code: errno) }
        let directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { rmdir(directory) }
        try await body(directory + "/\(Certification.name)")
    }
}
