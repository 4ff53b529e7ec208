/** The server refused a request. */
export class ApiError extends Error {
  override readonly name = "ApiError";

  constructor(
    /** The HTTP status. */
    readonly status: number,
    message: string,
    /** The complaints about each field of the request, if the server named fields. */
    readonly fields: Readonly<Record<string, readonly string[]>> = {},
    /** How many seconds to wait before the next attempt, if the server said so. */
    readonly retryAfterSeconds?: number,
    /** Finds the request in the server's logs. */
    readonly requestId?: string,
  ) {
    super(message);
  }
}

/** Something else than Service CI answered, such as a proxy with a page for signing in. */
export class ForeignResponse extends Error {
  override readonly name = "ForeignResponse";

  constructor(server: string) {
    super(
      `${server} does not answer as Service CI. Perhaps a proxy or a sign-in page is in front of it, or the address is wrong`,
    );
  }
}

/** Reports whether the same request may succeed after an error: the server is busy, has failed or has not answered. */
export const mayPass = (error: unknown): boolean =>
  !(error instanceof ApiError) || error.status === 429 || error.status >= 500;

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

const isComplaints = (value: unknown): value is Record<string, string[]> =>
  isObject(value) && Object.values(value).every(Array.isArray);

/** Returns the seconds of a Retry-After, which is a number or a date. Undefined if it is neither. */
function secondsOf(retryAfter: string | null): number | undefined {
  if (retryAfter === null) return undefined;
  const number = Number(retryAfter);
  const seconds = Number.isNaN(number) ? Math.ceil((Date.parse(retryAfter) - Date.now()) / 1_000) : number;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}

/** Returns the error that a response stands for. `body` is the parsed body. */
export function errorOf(response: Response, body: unknown): ApiError {
  const { status, statusText, headers } = response;
  const more = [secondsOf(headers.get("retry-after")), headers.get("x-request-id") ?? undefined] as const;
  if (isObject(body) && typeof body.message === "string") return new ApiError(status, body.message, {}, ...more);
  // 400 answers a map from fields to complaints.
  if (status === 400 && isComplaints(body))
    return new ApiError(status, Object.values(body).flat().join("; "), body, ...more);
  return new ApiError(status, `${status} ${statusText}`.trim(), {}, ...more);
}
