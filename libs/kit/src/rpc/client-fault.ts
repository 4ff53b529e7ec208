import { codeOfStatus, Fault, type FaultCode, type Fields } from "./fault.js";

/** How gRPC reports a failed call. */
export interface Failure {
  /** A gRPC status. https://github.com/grpc/grpc/blob/master/doc/statuscodes.md */
  readonly code: number;
  readonly details: string;
}

/** grpc-js reports `internal` when the connection of a call ends, as when a server stops. */
const isCutOff = ({ details }: Failure): boolean => /Call ended without gRPC status|Received RST_STREAM/.test(details);

/** Returns the Fault that the peer threw, as `sent` in the trailer, or the one that a failed connection amounts to. */
export function faultOf(failure: Failure, sent: Uint8Array | undefined): Fault {
  const cause = failure;
  if (!sent) {
    const code = isCutOff(failure) ? "unavailable" : codeOfStatus(failure.code);
    const message = code === "unavailable" ? "Service unavailable" : "Internal error";
    return new Fault(code, message, undefined, { cause });
  }
  const { code, fields } = JSON.parse(Buffer.from(sent).toString()) as { code: FaultCode; fields?: Fields };
  return new Fault(code, failure.details, fields, { cause });
}
