import { each } from "@service-ci/client";
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
    return { data: (await response.json()) as Fields[], response };
  });
