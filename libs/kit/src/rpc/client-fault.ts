import type { ServiceError } from "@grpc/grpc-js";
import { codeOfStatus, Fault, type FaultCode, type Fields, faultKey } from "./fault.js";

/** How gRPC reports a failed call. */
export interface Failure {
  /** A gRPC status. https://github.com/grpc/grpc/blob/master/doc/statuscodes.md */
  readonly code: number;
  readonly details: string;
}

/** A failed call, with the Fault that the peer sent, if it sent one. */
export class CallFailure extends Error implements Failure {
  constructor(
    readonly code: number,
    readonly details: string,
    readonly fault?: Uint8Array,
  ) {
    super(details);
  }
}

export const failureOf = ({ code, details, metadata }: ServiceError): CallFailure =>
  new CallFailure(code, details, metadata.get(faultKey)[0] as Buffer | undefined);

/** grpc-js reports `internal` when the connection of a call ends, as when a server stops. */
const isCutOff = ({ details }: Failure): boolean => /Call ended without gRPC status|Received RST_STREAM/.test(details);

/** Returns the Fault that the peer sent, or one for a failed connection. An internal one has no cause: the peer has logged it. */
export function faultOf(failure: Failure, sent: Uint8Array | undefined): Fault {
  const cause = failure;
  if (!sent) {
    const code = isCutOff(failure) ? "unavailable" : codeOfStatus(failure.code);
    const message = code === "unavailable" ? "Service unavailable" : "Internal error";
    return new Fault(code, message, undefined, { cause });
  }
  const { code, fields } = JSON.parse(Buffer.from(sent).toString()) as { code: FaultCode; fields?: Fields };
  return new Fault(code, failure.details, fields, code === "internal" ? undefined : { cause });
}
