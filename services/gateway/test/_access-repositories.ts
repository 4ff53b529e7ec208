import { createHmac } from "node:crypto";
import { aWord } from "@ci/testkit/builders";
import { created } from "@ci/testkit/constellation";
import type { Place } from "./_access-place.js";
import { complaint } from "./_access-response.js";
import { everyone, members, type TableRow, tableRow } from "./_access-table.js";

const repositories = "/n/:/:/-/repositories";
const repository = `${repositories}/:`;

const aRepository = ({ inbox }: Place) => ({ provider: "gitea", url: `${inbox.url}/${aWord()}`, secret: "s" });
const createRepository = async (place: Place): Promise<{ id: number; hook_url: string }> =>
  created(await place.crew.owner.post(`${place.url}/-/repositories`, aRepository(place)));

/** Returns a repository. Reuses one, so that a list fits on a page. */
async function someRepository(place: Place): Promise<{ id: number; hook_url: string }> {
  const { json } = await place.crew.owner.get(`${place.url}/-/repositories`);
  return json[0] ?? createRepository(place);
}

/** Returns a delivery of a repository and the path of all its deliveries. */
async function someDelivery(place: Place): Promise<{ path: string; id: number }> {
  const { id: repositoryId, hook_url } = await someRepository(place);
  const path = `${place.url}/-/repositories/${repositoryId}/deliveries`;
  const body = "{}";
  const signature = createHmac("sha256", "s").update(body).digest("hex");
  const headers = { "Content-Type": "application/json", "X-Gitea-Event": "ping", "X-Gitea-Signature": signature };
  // Only the first of equal requests is stored.
  await place.crew.owner.send("POST", hook_url, { body, headers });
  return { path, id: (await place.crew.owner.get(path)).json[0].id };
}

const unreadable =
  "Ref repository could not be read: not a git server of protocol version 2; check the address and the access token";

const deliveryPath =
  (rest = "") =>
  async (place: Place) => {
    const { path, id } = await someDelivery(place);
    return { path: `${path}/${id}${rest}` };
  };

/** R83 to R86. */
export const repositoryHooks: readonly TableRow[] = [
  tableRow(`GET ${repositories}`, "namespace:read", members("200 listed"), async (place) => ({
    path: `${place.url}/-/repositories`,
    id: (await someRepository(place)).id,
  })),
  tableRow(`POST ${repositories}`, "namespace:write", members("201"), (place) => ({
    path: `${place.url}/-/repositories`,
    json: aRepository(place),
  })),
  tableRow(`GET ${repository}`, "namespace:read", members("200"), async (place) => ({
    path: `${place.url}/-/repositories/${(await someRepository(place)).id}`,
  })),
  tableRow(`PATCH ${repository}`, "namespace:write", members("200"), async (place) => ({
    path: `${place.url}/-/repositories/${(await someRepository(place)).id}`,
    json: { cancel_superseded: false },
  })),
  tableRow(`DELETE ${repository}`, "namespace:delete", members("204"), async (place) => ({
    path: `${place.url}/-/repositories/${(await createRepository(place)).id}`,
  })),
  tableRow(`POST ${repository}/run`, "namespace:write", members(complaint("ref", unreadable)), async (place) => ({
    path: `${place.url}/-/repositories/${(await someRepository(place)).id}/run`,
    json: { ref: "main" },
  })),
  tableRow(`GET ${repository}/deliveries`, "namespace:read", members("200 listed"), someDelivery),
  tableRow(`GET ${repository}/deliveries/:`, "namespace:read", members("200"), deliveryPath()),
  tableRow(`POST ${repository}/deliveries/:/redeliver`, "namespace:write", members("202"), deliveryPath("/redeliver")),
  // The route needs the provider's signature instead of a token.
  tableRow("POST /hooks/:/:", "none", everyone("404"), () => ({ path: "/hooks/github/1", json: {} })),
];
