import { aWord } from "@ci/testkit/builders";
import { made } from "@ci/testkit/constellation";
import type { Place } from "./_access-place.js";
import { type Expected, everyone, expected, members } from "./_access-table.js";

const repositories = "/n/:/:/-/repositories";

const aRepository = ({ inbox }: Place) => ({ provider: "gitea", url: `${inbox.url}/${aWord()}`, secret: "s" });
const make = async (at: Place): Promise<number> =>
  made(await at.crew.owner.post(`${at.url}/-/repositories`, aRepository(at))).id;

/** R83 to R86. */
export const repositoryHooks: readonly Expected[] = [
  expected(`GET ${repositories}`, "namespace:read", members("200 listed"), async (at) => {
    // Reuses a repository, so that the list fits on a page.
    const { json } = await at.crew.owner.get(`${at.url}/-/repositories`);
    return { path: `${at.url}/-/repositories`, id: json[0]?.id ?? (await make(at)) };
  }),
  expected(`POST ${repositories}`, "namespace:write", members("201"), (at) => ({
    path: `${at.url}/-/repositories`,
    json: aRepository(at),
  })),
  expected(`DELETE ${repositories}/:`, "namespace:delete", members("204"), async (at) => ({
    path: `${at.url}/-/repositories/${await make(at)}`,
  })),
  // The route needs the provider's signature instead of a token.
  expected("POST /hooks/:/:", "none", everyone("404"), () => ({ path: "/hooks/github/1", json: {} })),
];
