/** Why a request to a user-supplied address failed. The text names no address. */
export class FetchFailed extends Error {
  override readonly name = "FetchFailed";
  /** The name that could not be looked up. */
  readonly host: string | undefined;
  constructor(
    readonly reason: string,
    options?: { cause?: unknown; host?: string },
  ) {
    super(reason, options);
    this.host = options?.host;
  }
}

const certificate = (why: string) => `TLS certificate invalid (${why})`;

const reasons: Readonly<Record<string, string>> = {
  ETIMEDOUT: "timeout",
  UND_ERR_CONNECT_TIMEOUT: "timeout",
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  EPIPE: "connection reset",
  UND_ERR_SOCKET: "connection reset",
  EHOSTUNREACH: "host unreachable",
  ENETUNREACH: "host unreachable",
  DEPTH_ZERO_SELF_SIGNED_CERT: certificate("self-signed"),
  SELF_SIGNED_CERT_IN_CHAIN: certificate("unknown issuer"),
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: certificate("unknown issuer"),
  UNABLE_TO_GET_ISSUER_CERT: certificate("unknown issuer"),
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: certificate("unknown issuer"),
  CERT_HAS_EXPIRED: certificate("expired"),
  CERT_NOT_YET_VALID: certificate("not yet valid"),
  ERR_TLS_CERT_ALTNAME_INVALID: certificate("wrong host name"),
  UND_ERR_HEADERS_OVERFLOW: "invalid response",
  HTTPParserError: "invalid response",
  ERR_ASSERTION: "invalid response",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "invalid response",
  UND_ERR_INVALID_ARG: "invalid request",
  ERR_INVALID_URL: "invalid request",
};

const families: readonly [RegExp, string][] = [
  [/^(CERT_|CRL_|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH|HOSTNAME_MISMATCH|UNABLE_TO_)/, certificate("not trusted")],
  [/^(ERR_SSL_|ERR_TLS_|EPROTO)/, "TLS handshake failed"],
];

/** Returns what to throw: the signal's reason if it has fired, otherwise a FetchFailed. */
export const failure = (error: unknown, signal?: AbortSignal): unknown => {
  if (signal?.aborted) return signal.reason;
  if (error instanceof FetchFailed) return error;
  const { code = "", name = "", message } = error as { code?: string; name?: string; message?: string };
  if (message === "bad upgrade") return new FetchFailed("invalid response", { cause: error });
  const family = families.find(([pattern]) => pattern.test(code));
  return new FetchFailed(reasons[code || name] ?? family?.[1] ?? "network error", { cause: error });
};

/** Does the same for an error after the headers. There, undici reports a lost connection as a length mismatch. */
export const bodyFailure = (error: unknown, signal?: AbortSignal): unknown => {
  const lost = (error as { code?: string }).code === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH";
  return failure(lost ? new FetchFailed("connection reset", { cause: error }) : error, signal);
};
