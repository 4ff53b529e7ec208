import { each, ForeignResponse } from "@service-ci/client";
import type { Fields } from "./format/cells.js";
import type { Session } from "./session.js";

type Query = Readonly<Record<string, string | undefined>>;

/** Yields the records of a list at a path of the API, page by page. */
export const recordsAt = (
  { client }: Pick<Session, "client">,
  path: string,
  query: Query = {},
): AsyncGenerator<Fields> =>
  each(async (page) => {
    const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
    const response = await client.request(`${path}?${new URLSearchParams([...given, ["page", String(page)]])}`);
    const data: unknown = await response.json();
    if (!Array.isArray(data)) throw new ForeignResponse(new URL(response.url).origin);
    return { data: data as Fields[], response };
  });
