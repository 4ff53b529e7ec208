import { credentials, Client as GrpcClient, Metadata as GrpcMetadata } from "@grpc/grpc-js";
import {
  type Client,
  ClientError,
  type ClientMiddleware,
  createChannel,
  createClientFactory,
  Metadata,
  type TsProtoServiceDefinition,
} from "nice-grpc";
import { awaitAcceptance } from "./acceptance.js";
import { carryMethod } from "./carrier.js";
import { carriersOf } from "./carriers.js";
import { faultOf } from "./client-fault.js";
import { faultKey } from "./fault.js";
import type { Identity } from "./identity.js";
import { byShape, maxMessageBytes } from "./method.js";
import { outgoing } from "./outgoing.js";
import { unaryClient } from "./unary-call.js";
import { asksToValidate } from "./validate-only.js";

/** Proves who opens a stream, sends the caller along, and throws the peer's Faults. */
const streaming = (identity: Identity): ClientMiddleware =>
  async function* (call, options) {
    let sent: Uint8Array | undefined;
    const { metadata, failed, end } = outgoing(identity, call.method, Metadata(options.metadata));
    using acceptance = awaitAcceptance();
    const request = call.requestStream ? acceptance.hold(call.request) : call.request;
    try {
      return yield* call.next(request as never, {
        ...options,
        metadata,
        onHeader: acceptance.arrived,
        onTrailer(trailer) {
          sent = trailer.get(faultKey);
        },
      });
    } catch (error) {
      throw failed(error instanceof ClientError ? faultOf(error, sent) : error);
    } finally {
      end();
    }
  };

function proofOf(identity: Identity): GrpcMetadata {
  const metadata = new GrpcMetadata();
  identity.prove(carryMethod, metadata);
  return metadata;
}

export interface ClientMaker {
  client<D extends TsProtoServiceDefinition>(definition: D): Client<D>;
}

export interface Peer extends ClientMaker, AsyncDisposable {
  /** Makes clients whose calls change nothing: the service only validates them, so every call but a read fails. */
  readonly validating: ClientMaker;
}

/** Replicas take turns. The client notices a new or missing one when a connection ends. */
const roundRobin = {
  "grpc.service_config": JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
  "grpc.service_config_disable_resolution": 1,
  "grpc.dns_min_time_between_resolutions_ms": 500,
};

export function connect(address: string, identity: Identity): Peer {
  const channel = createChannel(address, identity.channelCredentials, {
    ...roundRobin,
    "grpc.enable_channelz": 0,
    "grpc.keepalive_time_ms": 30_000,
    "grpc.keepalive_timeout_ms": 10_000,
    "grpc.initial_reconnect_backoff_ms": 100,
    "grpc.max_reconnect_backoff_ms": 1_000,
    "grpc.max_receive_message_length": maxMessageBytes,
  });
  const client = new GrpcClient("", credentials.createInsecure(), { channelOverride: channel });
  const transport = { client, carriers: carriersOf(client, () => proofOf(identity)) };
  const factory = createClientFactory().use(streaming(identity));
  const maker = (streamFactory: typeof factory, validateOnly: boolean): ClientMaker => ({
    client(definition) {
      const { unary, streams } = byShape(definition);
      const calls = unaryClient(transport, unary, { identity, validateOnly });
      return { ...calls, ...streamFactory.create(streams, channel) } as never;
    },
  });
  return {
    ...maker(factory, false),
    validating: maker(factory.use(asksToValidate), true),
    async [Symbol.asyncDispose]() {
      transport.carriers.retire();
      channel.close();
    },
  };
}
