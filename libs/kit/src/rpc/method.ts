import type { TsProtoServiceDefinition } from "nice-grpc";
import { fixedLimit } from "../process/fixed-limit.js";
import type { Rpc } from "./callers.js";

/** Fits a page of 25 builds with manifests of 1 MiB each. */
export const maxMessageBytes = fixedLimit({
  max: 64 * 1024 * 1024,
  unit: "bytes",
  about: "one message between services",
  refusal: "Internal server error",
});

/** What both sides of a call know of its method. */
export interface Method extends Rpc {
  /** `/<service>/<method>`, https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md */
  readonly path: string;
}

type Definition = TsProtoServiceDefinition;
type MethodDefinition = Definition["methods"][string];

export const pathOf = ({ fullName }: Definition, { name }: MethodDefinition): string => `/${fullName}/${name}`;

/** Splits the definition of a service: methods that take and return one message, and streams. */
export function byShape(definition: Definition): { readonly unary: Definition; readonly streams: Definition } {
  const only = (unary: boolean): Definition => {
    const isWanted = ({ requestStream, responseStream }: MethodDefinition) =>
      (requestStream || responseStream) !== unary;
    const methods = Object.entries(definition.methods).filter(([, method]) => isWanted(method));
    return { ...definition, methods: Object.fromEntries(methods) };
  };
  return { unary: only(true), streams: only(false) };
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
