import { aWord } from "@ci/testkit/builders";
import { created } from "@ci/testkit/constellation";
import type { Named } from "./_access-make.js";
import { type Place, queuedBuild } from "./_access-place.js";
import { complaint } from "./_access-response.js";
import { creators, memberList, members, type TableRow, tableRow, viewers } from "./_access-table.js";

const fields = (namespace: string, name = aWord("cron")) => ({ name, manifest: queuedBuild(namespace).manifest });

/** Creates a cron job as the owner. */
async function aCron({ crew, namespace }: Place): Promise<Named> {
  return created(await crew.owner.post("/cron", fields(namespace)));
}

/** Returns a request to a new cron job of the owner. */
export const cronRequest =
  (rest = "", more: object = {}) =>
  async (place: Place) => ({ path: `/cron/${(await aCron(place)).id}${rest}`, ...more });

/** R76 to R81. */
export const crons: readonly TableRow[] = [
  tableRow("GET /cron", "cron:read", memberList, async (place) => {
    const { id, name } = await aCron(place);
    return { path: `/cron?search=${name}`, id };
  }),
  tableRow(
    "POST /cron",
    "cron:write",
    creators("201", complaint("manifest", "Manifest cannot submit to namespace")),
    ({ namespace }) => ({ path: "/cron", json: fields(namespace) }),
  ),
  tableRow("GET /cron/:", "cron:read", viewers("200"), cronRequest()),
  tableRow("PATCH /cron/:", "cron:write", members("200"), cronRequest("", { json: { schedule: "weekly" } })),
  tableRow("DELETE /cron/:", "cron:delete", members("204"), cronRequest()),
  tableRow("POST /cron/:/run", "cron:write", members("201"), cronRequest("/run")),
  tableRow("GET /cron/:/builds", "cron:read", viewers("200"), cronRequest("/builds")),
];
