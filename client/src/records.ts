interface Returned<T> {
  readonly data?: T;
  readonly response: Response;
}

/** Returns the record of a call, for example `await record(client.api.GET("/user"))`. */
export async function record<T>(call: Promise<Returned<T>>): Promise<NonNullable<T>> {
  const { data, response } = await call;
  if (data === undefined || data === null) throw new TypeError(`${response.url} returned no record`);
  return data;
}

/** Reports whether a list has another page (RFC 8288). */
const hasNext = ({ headers }: Response): boolean => /;\s*rel="?next"?/.test(headers.get("link") ?? "");

/**
 * Yields the records of all pages of a list, and requests each page when it is needed:
 *
 *     for await (const build of each((page) => client.api.GET("/builds", { params: { query: { page } } }))) …
 */
export async function* each<T>(call: (page: number) => Promise<Returned<readonly T[]>>): AsyncGenerator<T> {
  for (let page = 1; ; page++) {
    const { data = [], response } = await call(page);
    yield* data;
    if (!hasNext(response)) return;
  }
}
