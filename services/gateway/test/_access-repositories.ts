import { aWord } from "@ci/testkit/builders";
import { created } from "@ci/testkit/constellation";
import type { Place } from "./_access-place.js";
import { everyone, members, type TableRow, tableRow } from "./_access-table.js";

const repositories = "/n/:/:/-/repositories";

const aRepository = ({ inbox }: Place) => ({ provider: "gitea", url: `${inbox.url}/${aWord()}`, secret: "s" });
const createRepository = async (place: Place): Promise<number> =>
  created(await place.crew.owner.post(`${place.url}/-/repositories`, aRepository(place))).id;

/** R83 to R86. */
export const repositoryHooks: readonly TableRow[] = [
  tableRow(`GET ${repositories}`, "namespace:read", members("200 listed"), async (place) => {
    // Reuses a repository, so that the list fits on a page.
    const { json } = await place.crew.owner.get(`${place.url}/-/repositories`);
    return { path: `${place.url}/-/repositories`, id: json[0]?.id ?? (await createRepository(place)) };
  }),
  tableRow(`POST ${repositories}`, "namespace:write", members("201"), (place) => ({
    path: `${place.url}/-/repositories`,
    json: aRepository(place),
  })),
  tableRow(`DELETE ${repositories}/:`, "namespace:delete", members("204"), async (place) => ({
    path: `${place.url}/-/repositories/${await createRepository(place)}`,
  })),
  // The route needs the provider's signature instead of a token.
  tableRow("POST /hooks/:/:", "none", everyone("404"), () => ({ path: "/hooks/github/1", json: {} })),
];
