import { aWord } from "@ci/testkit/builders";
import { made } from "@ci/testkit/constellation";
import type { Place } from "./_access-place.js";
import { type Expected, expected, members } from "./_access-table.js";

const hooks = "/n/:/:/-/webhooks";
const read = "namespace:read or webhook:read";
const write = "namespace:write or webhook:write";

const aHook = ({ inbox }: Place) => ({ payload_url: `${inbox.url}/${aWord()}`, active: false });
const requestFor =
  (rest = "", sent: object = {}) =>
  ({ url, records }: Place) => ({ path: `${url}/-/webhooks/${records.webhook}${rest}`, ...sent });
const delivery =
  (rest = "") =>
  (at: Place) =>
    requestFor(`/deliveries/${at.records.delivery}${rest}`)(at);

/** R47 to R54, and R87. */
export const webhooks: readonly Expected[] = [
  expected(`GET ${hooks}`, read, members("200 listed"), ({ url, records }) => ({
    path: `${url}/-/webhooks`,
    id: records.webhook,
  })),
  expected(`POST ${hooks}`, write, members("201"), (at) => ({ path: `${at.url}/-/webhooks`, json: aHook(at) })),
  expected(`GET ${hooks}/:`, read, members("200"), requestFor()),
  expected(`PATCH ${hooks}/:`, write, members("200"), requestFor("", { json: { active: false } })),
  expected(`DELETE ${hooks}/:`, "namespace:delete or webhook:delete", members("204"), async (at) => {
    const { id } = made(await at.crew.owner.post(`${at.url}/-/webhooks`, aHook(at)));
    return { path: `${at.url}/-/webhooks/${id}` };
  }),
  expected(`GET ${hooks}/:/deliveries`, read, members("200 listed"), (at) => ({
    ...requestFor("/deliveries")(at),
    id: at.records.delivery,
  })),
  expected(`GET ${hooks}/:/deliveries/:`, read, members("200"), delivery()),
  expected(`POST ${hooks}/:/deliveries/:/redeliver`, write, members("202"), delivery("/redeliver")),
  expected("GET /n/:/:/-/events", "namespace:read", members("200"), ({ url }) => ({
    path: `${url}/-/events`,
    endless: true,
  })),
  expected(
    `POST ${hooks}/:/redeliver`,
    write,
    members("202"),
    requestFor("/redeliver", { json: { since: "2026-01-01T00:00:00Z" } }),
  ),
];
