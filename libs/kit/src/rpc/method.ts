import type { TsProtoServiceDefinition } from "nice-grpc";
import { fixedLimit } from "../process/fixed-limit.js";
import type { Rpc } from "./callers.js";
import { contentType } from "./content-type.js";

/** Fits a page of 25 builds with manifests of 1 MiB each. */
export const maxMessageBytes = fixedLimit({
  max: 64 * 1024 * 1024,
  unit: "bytes",
  about: "one message between services",
  refusal: "Internal server error",
});

export const callTimeoutMs = 30_000;

/** What both sides of a call know of its method. */
export interface Method extends Rpc {
  /** `/<service>/<method>`, https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md */
  readonly path: string;
}

type Definition = TsProtoServiceDefinition;
type MethodDefinition = Definition["methods"][string];

export const pathOf = ({ fullName }: Definition, { name }: MethodDefinition): string => `/${fullName}/${name}`;

const isStream = ({ requestStream, responseStream }: MethodDefinition): boolean => requestStream || responseStream;

const streamOf = (method: MethodDefinition): MethodDefinition => ({
  ...method,
  requestType: contentType(method.requestType),
  responseType: contentType(method.responseType),
});

/** Splits the definition of a service: methods that take and return one message, and streams. */
export function byShape(definition: Definition): { readonly unary: Definition; readonly streams: Definition } {
  const all = Object.entries(definition.methods);
  const unary = all.filter(([, method]) => !isStream(method));
  const streams = all.flatMap(([name, method]) => (isStream(method) ? [[name, streamOf(method)] as const] : []));
  return {
    unary: { ...definition, methods: Object.fromEntries(unary) },
    streams: { ...definition, methods: Object.fromEntries(streams) },
  };
}

export const spanName = ({ path }: Method): string => path.slice(1);

/** Codes that mark a span as failed. A client asking for something missing is not our failure. */
export const failing: ReadonlySet<string> = new Set(["internal", "unavailable"]);

type MessageType = MethodDefinition["requestType"];

/** Returns a function that encodes messages of a type, also partial ones. */
export const encoderOf =
  ({ encode, fromPartial = (message: unknown) => message }: MessageType) =>
  (message: unknown): Buffer => {
    const { buffer, byteOffset, byteLength } = encode(fromPartial(message)).finish();
    return Buffer.from(buffer, byteOffset, byteLength);
  };
