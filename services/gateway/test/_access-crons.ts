import { aWord } from "@ci/testkit/builders";
import { made } from "@ci/testkit/constellation";
import type { Named } from "./_access-make.js";
import { type Place, waiting } from "./_access-place.js";
import { refused } from "./_access-seen.js";
import { creators, type Expected, expected, memberList, members, viewers } from "./_access-table.js";

const fields = (namespace: string, name = aWord("cron")) => ({ name, manifest: waiting(namespace).manifest });

/** Creates a cron job of the owner's. */
async function aCron({ crew, namespace }: Place): Promise<Named> {
  return made(await crew.owner.post("/cron", fields(namespace)));
}

/** Returns a request for a new cron job of the owner's. */
export const cronRequest =
  (rest = "", more: object = {}) =>
  async (at: Place) => ({ path: `/cron/${(await aCron(at)).id}${rest}`, ...more });

/** R76 to R81. */
export const crons: readonly Expected[] = [
  expected("GET /cron", "cron:read", memberList, async (at) => {
    const { id, name } = await aCron(at);
    return { path: `/cron?search=${name}`, id };
  }),
  expected(
    "POST /cron",
    "cron:write",
    creators("201", refused("manifest", "Manifest cannot submit to namespace")),
    ({ namespace }) => ({ path: "/cron", json: fields(namespace) }),
  ),
  expected("GET /cron/:", "cron:read", viewers("200"), cronRequest()),
  expected("PATCH /cron/:", "cron:write", members("200"), cronRequest("", { json: { schedule: "weekly" } })),
  expected("DELETE /cron/:", "cron:delete", members("204"), cronRequest()),
  expected("GET /cron/:/builds", "cron:read", viewers("200"), cronRequest("/builds")),
];
