import { ApiError, ForeignResponse } from "@service-ci/client";
import { exit, Failure } from "./exit.js";

/** The message for an error, and the exit code. */
export interface Explained {
  readonly message: string;
  readonly code: number;
}

const failed = (message: string): Explained => ({ message, code: exit.failed });

const hints: Readonly<Record<number, string>> = {
  401: "The token is not valid. Sign in with `ci login SERVER`, or set CI_TOKEN",
  403: "Sign in with a token whose scope contains it, or ask an administrator for one",
  404: "There is no such record, or you may not see it",
};

function refused({ status, message, fields, retryAfterSeconds, requestId }: ApiError): Explained {
  if (status === 401) return { message: hints[401]!, code: exit.usage };
  const complaints = Object.values(fields).flat();
  if (complaints.length > 0) return failed(complaints.join("\n"));
  if (status === 403 && message.startsWith("Token lacks permission")) return failed(`${message}. ${hints[403]}`);
  if (status === 404) return failed(hints[404]!);
  const wait = retryAfterSeconds === undefined ? "" : `. Try again in ${retryAfterSeconds} s`;
  const request = status >= 500 && requestId ? ` (request ${requestId})` : "";
  return failed(`${message}${wait}${request}`);
}

/** Returns the innermost cause, which explains why a connection failed. */
function causeOf(error: Error): Error {
  const { cause } = error;
  if (cause instanceof AggregateError && cause.errors[0] instanceof Error) return cause.errors[0];
  return cause instanceof Error ? causeOf(cause) : error;
}

const ofUnknownAuthority = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/** Returns why the server cannot be reached, and what helps. */
export function reasonOf(error: Error): string {
  const { message, code = "" } = causeOf(error) as NodeJS.ErrnoException;
  if (code === "ERR_SSL_WRONG_VERSION_NUMBER")
    return "it does not use TLS at this address and port. Use http:// or another port";
  if (!ofUnknownAuthority.has(code)) return message;
  return `${message}. To trust your own authority, set NODE_EXTRA_CA_CERTS to the file of its certificate`;
}

const reasonIn = (error: unknown): string => (error instanceof Error ? ` (${causeOf(error).message})` : "");

/** Returns the note about a lost connection. The server may have closed it without an error. */
export const lostNote = (error: unknown): string => `The connection is lost${reasonIn(error)}; trying again`;

/** Returns the note about a request that will be repeated. */
export const awayNote = (error: unknown): string => `The server is not available${reasonIn(error)}; trying again`;

/** Returns the message and the exit code for an error that ended a command. */
export function explain(error: unknown): Explained {
  if (error instanceof Failure) return { message: error.message, code: error.code };
  if (error instanceof ApiError) return refused(error);
  if (error instanceof ForeignResponse) return failed(error.message);
  if (error instanceof SyntaxError && error.message.includes("JSON"))
    return failed(`The server's response is not JSON. Check its address: ${error.message}`);
  if (error instanceof TypeError && error.message === "fetch failed")
    return failed(`The server cannot be reached: ${reasonOf(error)}`);
  if (error instanceof TypeError && error.message === "terminated")
    return failed(`The connection broke: ${causeOf(error).message}`);
  if (error instanceof Error && error.name === "TimeoutError") return failed(error.message);
  if (error instanceof Error && "syscall" in error) return failed(error.message);
  return failed(`This is a bug in ci: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
}
