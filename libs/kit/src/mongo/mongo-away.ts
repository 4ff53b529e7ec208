/** How the driver calls it that there is no server to talk to, or no longer. By name, for not all who ask use MongoDB. */
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

/** What a server says that is stopping, starting, or not the primary any more, or that lost the others. */
const codes: ReadonlySet<unknown> = new Set([
  6, 7, 89, 91, 133, 134, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436,
]);

/** What becomes of a socket whose other end is gone. The driver passes some of these errors on as they are. */
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

/** An error and what it was made from, as far as that matters: errors of bulk writes hide the real one. */
interface DriverError {
  readonly name?: string;
  readonly code?: unknown;
  readonly errorResponse?: DriverError;
  readonly cause?: DriverError;
}

const mostDeep = 5;

/** Whether an error means that MongoDB cannot be reached. Whether a write was done is then unknown. */
export function isMongoAway(error: unknown, deep = 0): boolean {
  if (typeof error !== "object" || error === null || deep > mostDeep) return false;
  const { name = "", code, errorResponse, cause } = error as DriverError;
  if (names.has(name) || socketCodes.has(code) || (name.startsWith("Mongo") && codes.has(code))) return true;
  return isMongoAway(errorResponse, deep + 1) || (name.startsWith("Mongo") && isMongoAway(cause, deep + 1));
}
