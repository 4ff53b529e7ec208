import { aWord } from "@ci/testkit/builders";
import { made } from "@ci/testkit/constellation";
import { type Place, waiting } from "./_access-place.js";
import { refused } from "./_access-seen.js";
import { creators, type Expected, expected, memberList, members, viewers } from "./_access-table.js";

const finished =
  (rest = "", more: { id?: number; content?: string; headers?: Record<string, string> } = {}) =>
  ({ records }: Place) => ({ path: `${records.finished.url}${rest}`, ...more });

const jobs = "/b/:/:/jobs";
const artifacts = "/b/:/:/artifacts";
const stream = { accept: "text/event-stream" };
const bytes = { accept: "application/octet-stream" };

async function aTag({ crew, records }: Place) {
  const name = aWord("tag");
  const { finished } = records;
  // The owner may tag the build: it is theirs, or it lies in their namespace.
  made(await crew.owner.post(`${finished.url}/tags`, [name]));
  return { path: `${finished.url}/tags/${name}` };
}

/** R13 to R30 and R82. */
export const builds: readonly Expected[] = [
  expected("GET /builds", "build:read", memberList, ({ records }) => ({
    path: "/builds?tag=v1",
    id: records.finished.id,
  })),
  expected(
    "POST /builds",
    "build:write",
    creators("201", refused("manifest", "Manifest cannot submit to namespace")),
    ({ namespace }) => ({ path: "/builds", json: waiting(namespace) }),
  ),
  expected("GET /b/:/:", "build:read", viewers("200"), finished()),
  expected("DELETE /b/:/:", "build:delete", members("204"), async ({ crew, namespace }) => ({
    path: made(await crew.owner.post("/builds", waiting(namespace))).url,
  })),
  expected("PATCH /b/:/:/pin", "build:write", members("200"), finished("/pin")),
  expected("PATCH /b/:/:/unpin", "build:write", members("200"), finished("/unpin")),
  expected("POST /b/:/:/restart", "build:write", members("201"), ({ records }) => ({
    path: `${records.killed}/restart`,
  })),
  expected("GET /b/:/:/output", "build:read", viewers("200 content"), finished("/output", { content: "said" })),
  expected(
    "GET /b/:/:/output",
    "build:read",
    viewers("200 content"),
    finished("/output", { content: "event: end", headers: stream }),
    "as a stream",
  ),
  expected("GET /b/:/:/objects", "build:read", viewers("200"), finished("/objects")),
  expected("GET /b/:/:/variables", "build:read", viewers("200"), finished("/variables")),
  expected("GET /b/:/:/keys", "build:read", viewers("200"), finished("/keys")),
  expected(`GET ${jobs}`, "build:read", viewers("200"), finished("/jobs")),
  expected(`GET ${jobs}/:`, "build:read", viewers("200"), finished("/jobs/test.1")),
  expected(
    `GET ${jobs}/:/output`,
    "build:read",
    viewers("200 content"),
    finished("/jobs/test.1/output", { content: "said" }),
  ),
  expected(
    `GET ${jobs}/:/output`,
    "build:read",
    viewers("200 content"),
    finished("/jobs/test.1/output", { content: "event: end", headers: stream }),
    "as a stream",
  ),
  expected(`GET ${artifacts}`, "build:read", viewers("200"), finished("/artifacts")),
  expected(`GET ${artifacts}/:`, "build:read", viewers("200"), finished("/artifacts/out.txt")),
  expected(
    `GET ${artifacts}/:`,
    "build:read",
    viewers("200 content"),
    finished("/artifacts/out.txt", { content: "made", headers: bytes }),
    "as content",
  ),
  expected("GET /b/:/:/tags", "build:read", viewers("200"), finished("/tags")),
  expected("POST /b/:/:/tags", "build:write", members("201"), ({ records }) => ({
    path: `${records.finished.url}/tags`,
    json: [aWord("tag")],
  })),
  expected("GET /b/:/:/tags/:", "build:read", viewers("200"), finished("/tags/v1")),
  expected("DELETE /b/:/:/tags/:", "build:delete", members("204"), aTag),
];
