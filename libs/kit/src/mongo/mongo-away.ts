/** The driver's errors for an unreachable server. By name, since not every user of this file loads the driver. */
const names: ReadonlySet<string> = new Set([
  "MongoClientClosedError",
  "MongoNetworkError",
  "MongoNetworkTimeoutError",
  "MongoNotConnectedError",
  "MongoOperationTimeoutError",
  "MongoPoolClearedError",
  "MongoPoolClosedError",
  "MongoServerClosedError",
  "MongoServerSelectionError",
  "MongoTopologyClosedError",
  "MongoWaitQueueTimeoutError",
  "PoolClearedOnNetworkError",
]);

/** Sent by servers that are stopping, starting, no longer primary, or cut off from the others. */
const codes: ReadonlySet<unknown> = new Set([
  6, 7, 89, 91, 133, 134, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436,
]);

/** Errors of broken sockets. The driver passes some on unchanged. */
const socketCodes: ReadonlySet<unknown> = new Set([
  "ECONNABORTED",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTCONN",
  "EPIPE",
  "ERR_SOCKET_CLOSED",
  "ERR_STREAM_DESTROYED",
  "ETIMEDOUT",
]);

interface DriverError {
  readonly name?: string;
  readonly code?: unknown;
  readonly errorResponse?: DriverError;
  readonly cause?: DriverError;
}

const maxDepth = 5;

/** Reports whether an error means that MongoDB is unreachable. Whether a write took effect is then unknown. */
export function isMongoAway(error: unknown, depth = 0): boolean {
  if (typeof error !== "object" || error === null || depth > maxDepth) return false;
  const { name = "", code, errorResponse, cause } = error as DriverError;
  if (names.has(name) || socketCodes.has(code) || (name.startsWith("Mongo") && codes.has(code))) return true;
  return isMongoAway(errorResponse, depth + 1) || (name.startsWith("Mongo") && isMongoAway(cause, depth + 1));
}
