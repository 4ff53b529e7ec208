import { randomBytes } from "node:crypto";
import { aBuild, aWord } from "@ci/testkit/builders";
import { created } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import type { Place } from "./_access-place.js";
import { memberList, members, type TableRow, tableRow } from "./_access-table.js";

/** Runs a build of the owner that keeps a file. Returns the id of the entry. */
async function aCache({ crew: { owner }, namespace }: Place): Promise<number> {
  const cache = [{ name: aWord("cache"), key: [], paths: ["kept"] }];
  const jobs = [{ stage: "test", commands: [`echo ${randomBytes(8).toString("hex")} > kept`] }];
  const { url } = created(await owner.post("/builds", aBuild({ namespace, jobs, cache })));
  await eventually(async () => expect((await owner.get(url)).json.status).toBe("passed"), { withinMs: 120_000 });
  const { json } = await owner.get("/caches");
  return json.find(({ name }: { name: string }) => name === cache[0]!.name).id;
}

/** What is kept between builds. */
export const caches: readonly TableRow[] = [
  tableRow("GET /caches", "build:read", memberList, async (place) => ({ path: "/caches", id: await aCache(place) })),
  tableRow("DELETE /caches/:", "build:delete", members("204"), async (place) => ({
    path: `/caches/${await aCache(place)}`,
  })),
];
