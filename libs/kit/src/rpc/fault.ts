import { Status } from "nice-grpc-common";
import { isMongoAway } from "../mongo/mongo-away.js";
import { boundedFields, boundedMessage, type Fields } from "./complaints.js";

export { type Fields, quoted } from "./complaints.js";

export type FaultCode =
  | "invalid"
  | "unauthenticated"
  | "forbidden"
  | "not_found"
  | "conflict"
  | "precondition"
  /** The caller has too much in progress at once. */
  | "exhausted"
  | "unavailable"
  | "internal";

export const faultKey = "fault-bin";

/** The gateway's `http/answer.ts` chooses the HTTP statuses. */
const grpcCodes: Record<FaultCode, Status> = {
  invalid: Status.INVALID_ARGUMENT,
  unauthenticated: Status.UNAUTHENTICATED,
  forbidden: Status.PERMISSION_DENIED,
  not_found: Status.NOT_FOUND,
  conflict: Status.ABORTED,
  precondition: Status.FAILED_PRECONDITION,
  exhausted: Status.RESOURCE_EXHAUSTED,
  unavailable: Status.UNAVAILABLE,
  internal: Status.INTERNAL,
};

/**
 * The only error thrown on purpose. `message` and `fields` go to the client and are bounded, whatever it has sent.
 * `cause` never leaves the process.
 */
export class Fault extends Error {
  override readonly name = "Fault";
  readonly fields?: Fields;
  constructor(
    readonly code: FaultCode,
    message: string,
    fields?: Fields,
    options?: { cause?: unknown },
  ) {
    super(boundedMessage(message), options);
    this.fields = fields && boundedFields(fields);
  }
}

/** Whether the peer does not have the called RPC, as one of an older version. */
export const isUnimplemented = (error: unknown): boolean =>
  error instanceof Fault && (error.cause as { code?: Status } | undefined)?.code === Status.UNIMPLEMENTED;

export const invalid = (fields: Fields): Fault => new Fault("invalid", "Invalid fields", fields);

export const unauthorized = (): Fault => new Fault("unauthenticated", "Unauthorized");

/** Reports what does not exist, or what the caller may not know to exist. */
export const notFound = (): Fault => new Fault("not_found", "Not Found");

/** Wraps other errors: `unavailable` if the database is unreachable, otherwise `internal`. */
export function asFault(thrown: unknown): Fault {
  if (thrown instanceof Fault) return thrown;
  if (isMongoAway(thrown)) return new Fault("unavailable", "Service unavailable", undefined, { cause: thrown });
  return new Fault("internal", "Internal error", undefined, { cause: thrown });
}

export const grpcStatus = (code: FaultCode): Status => grpcCodes[code];

/** Returns the code for a gRPC status that came without a Fault. */
export function codeOfStatus(status: Status): FaultCode {
  if (status === Status.DEADLINE_EXCEEDED || status === Status.CANCELLED) return "unavailable";
  // Peers report too many requests as a Fault. gRPC itself uses this status for a message that is too large.
  if (status === Status.RESOURCE_EXHAUSTED) return "internal";
  for (const [code, grpc] of Object.entries(grpcCodes)) if (grpc === status) return code as FaultCode;
  return "internal";
}
