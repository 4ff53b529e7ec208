import { Status } from "nice-grpc-common";
import { isMongoAway } from "../mongo/mongo-away.js";

/** What went wrong, in eight words; each has one gRPC status and one HTTP status. */
export type FaultCode =
  | "invalid"
  | "unauthenticated"
  | "forbidden"
  | "not_found"
  | "conflict"
  | "precondition"
  | "unavailable"
  | "internal";

/** Where a Fault stands beside a gRPC status. */
export const faultKey = "fault-bin";

/** Field name to messages, as REST answers them. */
export type Fields = Readonly<Record<string, readonly string[]>>;

const table: Record<FaultCode, { grpc: Status; http: number }> = {
  invalid: { grpc: Status.INVALID_ARGUMENT, http: 400 },
  unauthenticated: { grpc: Status.UNAUTHENTICATED, http: 401 },
  forbidden: { grpc: Status.PERMISSION_DENIED, http: 403 },
  not_found: { grpc: Status.NOT_FOUND, http: 404 },
  conflict: { grpc: Status.ABORTED, http: 409 },
  precondition: { grpc: Status.FAILED_PRECONDITION, http: 422 },
  unavailable: { grpc: Status.UNAVAILABLE, http: 503 },
  internal: { grpc: Status.INTERNAL, http: 500 },
};

/**
 * The one failure that is thrown on purpose. `message` and `fields` are for the caller,
 * `cause` is for the log and never leaves the process.
 */
export class Fault extends Error {
  override readonly name = "Fault";
  constructor(
    readonly code: FaultCode,
    message: string,
    readonly fields?: Fields,
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
}

/** A request whose fields are wrong: all complaints at once. */
export const invalid = (fields: Fields): Fault => new Fault("invalid", "Invalid fields", fields);

/** The answer for what is absent and for what the caller may not know of. */
export const notFound = (): Fault => new Fault("not_found", "Not Found");

/**
 * Any thrown value as a Fault that keeps it as cause: `unavailable` where the database is away, else what nobody threw
 * on purpose is `internal`.
 */
export function asFault(thrown: unknown): Fault {
  if (thrown instanceof Fault) return thrown;
  if (isMongoAway(thrown)) return new Fault("unavailable", "Service unavailable", undefined, { cause: thrown });
  return new Fault("internal", "Internal error", undefined, { cause: thrown });
}

export const grpcStatus = (code: FaultCode): Status => table[code].grpc;
export const httpStatus = (code: FaultCode): number => table[code].http;

/** The code a gRPC status stands for when the peer sent no Fault with it. */
export function codeOfStatus(status: Status): FaultCode {
  if (status === Status.DEADLINE_EXCEEDED || status === Status.CANCELLED) return "unavailable";
  for (const [code, row] of Object.entries(table)) if (row.grpc === status) return code as FaultCode;
  return "internal";
}
