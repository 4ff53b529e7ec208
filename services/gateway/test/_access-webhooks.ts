import { aWord } from "@ci/testkit/builders";
import { created } from "@ci/testkit/constellation";
import type { Place } from "./_access-place.js";
import { everyone, members, type TableRow, tableRow } from "./_access-table.js";

const hooks = "/n/:/:/-/webhooks";
const read = "namespace:read or webhook:read";
const write = "namespace:write or webhook:write";

const aHook = ({ inbox }: Place) => ({ payload_url: `${inbox.url}/${aWord()}`, active: false });
const requestFor =
  (rest = "", sent: object = {}) =>
  ({ url, records }: Place) => ({ path: `${url}/-/webhooks/${records.webhook}${rest}`, ...sent });
const delivery =
  (rest = "") =>
  (place: Place) =>
    requestFor(`/deliveries/${place.records.delivery}${rest}`)(place);

/** R47 to R54, R87, and what the contract does not number. */
export const webhooks: readonly TableRow[] = [
  tableRow(`GET ${hooks}`, read, members("200 listed"), ({ url, records }) => ({
    path: `${url}/-/webhooks`,
    id: records.webhook,
  })),
  tableRow(`POST ${hooks}`, write, members("201"), (place) => ({
    path: `${place.url}/-/webhooks`,
    json: aHook(place),
  })),
  tableRow(`GET ${hooks}/:`, read, members("200"), requestFor()),
  tableRow(`PATCH ${hooks}/:`, write, members("200"), requestFor("", { json: { active: false } })),
  tableRow(`DELETE ${hooks}/:`, "namespace:delete or webhook:delete", members("204"), async (place) => {
    const { id } = created(await place.crew.owner.post(`${place.url}/-/webhooks`, aHook(place)));
    return { path: `${place.url}/-/webhooks/${id}` };
  }),
  tableRow(`GET ${hooks}/:/headers`, read, members("200"), requestFor("/headers")),
  tableRow(`PUT ${hooks}/:/headers`, write, members("200"), requestFor("/headers", { json: { headers: {} } })),
  tableRow(`GET ${hooks}/:/rate-limit`, read, members("200"), requestFor("/rate-limit")),
  tableRow(`PUT ${hooks}/:/rate-limit`, write, members("200"), requestFor("/rate-limit", { json: { per_second: 0 } })),
  tableRow(`GET ${hooks}/:/stats`, read, members("200"), requestFor("/stats")),
  tableRow(`GET ${hooks}/:/deliveries`, read, members("200 listed"), (place) => ({
    ...requestFor("/deliveries")(place),
    id: place.records.delivery,
  })),
  tableRow(`GET ${hooks}/:/deliveries/:`, read, members("200"), delivery()),
  tableRow(`POST ${hooks}/:/deliveries/:/redeliver`, write, members("202"), delivery("/redeliver")),
  tableRow(`POST ${hooks}/:/test`, write, members("202"), requestFor("/test", { json: {} })),
  tableRow("GET /n/:/:/-/events", "namespace:read", members("200"), ({ url }) => ({
    path: `${url}/-/events`,
    endless: true,
  })),
  tableRow("GET /events", "namespace:read build:read", everyone("200"), () => ({ path: "/events", endless: true })),
  tableRow(
    `POST ${hooks}/:/redeliver`,
    write,
    members("202"),
    requestFor("/redeliver", { json: { since: "2026-01-01T00:00:00Z" } }),
  ),
  tableRow(`POST ${hooks}/:/replay`, write, members("202"), async (place) => {
    const active = { ...aHook(place), active: true, events: ["cron"] };
    const { id } = created(await place.crew.owner.post(`${place.url}/-/webhooks`, active));
    return { path: `${place.url}/-/webhooks/${id}/replay`, json: { since: "2026-01-01T00:00:00Z" } };
  }),
];
