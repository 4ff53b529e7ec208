import {
  ChannelCredentials,
  experimental,
  type Metadata as GrpcMetadata,
  ServerCredentials,
  ServerInterceptingCall,
  type ServerInterceptor,
} from "@grpc/grpc-js";
import type { Metadata } from "nice-grpc";
import type { IdentityConfig } from "../process/identity-config.js";
import type { Log } from "../process/log.js";
import type { Settable } from "./caller.js";
import type { ServiceName } from "./callers.js";
import { certificateFiles, serviceNamed } from "./certificates.js";
import type { Method } from "./method.js";
import { audienceOf, signer, verifier } from "./service-token.js";

/** How a process proves which service it is, and learns which service calls it. */
export interface Identity extends AsyncDisposable {
  readonly serverCredentials: ServerCredentials;
  readonly interceptors: ServerInterceptor[];
  readonly channelCredentials: ChannelCredentials;
  /** Adds the proof of this service's name to the metadata of a call. */
  prove(method: Method, metadata: Settable): void;
  /** Returns the service that proved to be the caller; undefined without a proof. */
  callerOf(method: Method, metadata: Metadata): ServiceName | undefined;
  /** Gives a call what the stream that carries it proves, in place of whatever the peer sent. */
  vouch(stream: Metadata, call: Metadata): void;
}

const tokenKey = "authorization";
const certifiedKey = "ci-certified";

/** Puts the service that the peer's certificate names into the metadata, in place of whatever the peer sent. */
const certified: ServerInterceptor = (_method, call) =>
  new ServerInterceptingCall(call, {
    start(next) {
      next({
        onReceiveMetadata(metadata: GrpcMetadata, pass: (metadata: GrpcMetadata) => void) {
          metadata.remove(certifiedKey);
          const service = serviceNamed(call.getAuthContext().sslPeerCertificate?.subjectaltname);
          if (service) metadata.set(certifiedKey, service);
          pass(metadata);
        },
      });
    },
  });

/** Opens the identity of a service: its certificate, or on a loopback without TLS its key. */
export function openIdentity(config: IdentityConfig, log: Log, readEveryMs = 5_000): Identity {
  if (config.tls) {
    const onRefused = (err: unknown) => log.warn({ err }, "a changed certificate is not usable, the old one stays");
    const files = certificateFiles(config.tls, config.service, readEveryMs, onRefused);
    return {
      serverCredentials: experimental.createCertificateProviderServerCredentials(files, files, true),
      interceptors: [certified],
      channelCredentials: experimental.createCertificateProviderChannelCredentials(files, files),
      prove() {},
      callerOf: (_method, metadata) => metadata.get(certifiedKey) as ServiceName | undefined,
      vouch(stream, call) {
        call.delete(certifiedKey);
        const service = stream.get(certifiedKey);
        if (service) call.set(certifiedKey, service);
      },
      [Symbol.asyncDispose]: () => files[Symbol.asyncDispose](),
    };
  }
  const sign = signer(config.service, config.keys.own);
  const verify = verifier(config.keys.peers);
  return {
    serverCredentials: ServerCredentials.createInsecure(),
    interceptors: [],
    channelCredentials: ChannelCredentials.createInsecure(),
    prove: ({ path }, metadata) => void metadata.set(tokenKey, sign(audienceOf(path))),
    callerOf({ path }, metadata) {
      const token = metadata.get(tokenKey);
      return token === undefined ? undefined : verify(token, audienceOf(path));
    },
    // Each call has a token of its own.
    vouch() {},
    async [Symbol.asyncDispose]() {},
  };
}
