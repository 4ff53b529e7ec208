import { aWord } from "@ci/testkit/builders";
import { created } from "@ci/testkit/constellation";
import { type Place, queuedBuild } from "./_access-place.js";
import { complaint } from "./_access-response.js";
import { creators, memberList, members, type TableRow, tableRow, viewers } from "./_access-table.js";

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
  // The owner may tag the build, because it is theirs or is in their namespace.
  created(await crew.owner.post(`${finished.url}/tags`, [name]));
  return { path: `${finished.url}/tags/${name}` };
}

/** R13 to R30 and R82. */
export const builds: readonly TableRow[] = [
  tableRow("GET /builds", "build:read", memberList, ({ records }) => ({
    path: "/builds?tag=v1",
    id: records.finished.id,
  })),
  tableRow(
    "POST /builds",
    "build:write",
    creators("201", complaint("manifest", "Manifest cannot submit to namespace")),
    ({ namespace }) => ({ path: "/builds", json: queuedBuild(namespace) }),
  ),
  tableRow("POST /manifests/check", "build:read", creators("200", "200"), ({ namespace }) => ({
    path: "/manifests/check",
    json: queuedBuild(namespace),
  })),
  tableRow("GET /b/:/:", "build:read", viewers("200"), finished()),
  tableRow("DELETE /b/:/:", "build:delete", members("204"), async ({ crew, namespace }) => ({
    path: created(await crew.owner.post("/builds", queuedBuild(namespace))).url,
  })),
  tableRow("PATCH /b/:/:/pin", "build:write", members("200"), finished("/pin")),
  tableRow("PATCH /b/:/:/unpin", "build:write", members("200"), finished("/unpin")),
  // No effect on a build that does not wait for approval.
  tableRow("PATCH /b/:/:/approve", "build:write", members("200"), finished("/approve")),
  tableRow("POST /b/:/:/restart", "build:write", members("201"), ({ records }) => ({
    path: `${records.killed}/restart`,
  })),
  tableRow("GET /b/:/:/output", "build:read", viewers("200 content"), finished("/output", { content: "said" })),
  tableRow(
    "GET /b/:/:/output",
    "build:read",
    viewers("200 content"),
    finished("/output", { content: "event: end", headers: stream }),
    "as a stream",
  ),
  tableRow(
    "GET /b/:/:/output",
    "build:read",
    viewers("200 content"),
    finished("/output?download", { content: "said" }),
    "as a file",
  ),
  tableRow("GET /b/:/:/objects", "build:read", viewers("200"), finished("/objects")),
  tableRow("GET /b/:/:/variables", "build:read", viewers("200"), finished("/variables")),
  tableRow("GET /b/:/:/keys", "build:read", viewers("200"), finished("/keys")),
  tableRow(`GET ${jobs}`, "build:read", viewers("200"), finished("/jobs")),
  tableRow(`GET ${jobs}/:`, "build:read", viewers("200"), finished("/jobs/test.1")),
  tableRow(
    `GET ${jobs}/:/output`,
    "build:read",
    viewers("200 content"),
    finished("/jobs/test.1/output", { content: "said" }),
  ),
  tableRow(
    `GET ${jobs}/:/output`,
    "build:read",
    viewers("200 content"),
    finished("/jobs/test.1/output", { content: "event: end", headers: stream }),
    "as a stream",
  ),
  tableRow(
    `GET ${jobs}/:/output`,
    "build:read",
    viewers("200 content"),
    finished("/jobs/test.1/output?download", { content: "said" }),
    "as a file",
  ),
  tableRow(`GET ${artifacts}`, "build:read", viewers("200"), finished("/artifacts")),
  tableRow(`GET ${artifacts}/:`, "build:read", viewers("200"), finished("/artifacts/out.txt")),
  tableRow(
    `GET ${artifacts}/:`,
    "build:read",
    viewers("200 content"),
    finished("/artifacts/out.txt", { content: "made", headers: bytes }),
    "as content",
  ),
  tableRow(
    `GET ${artifacts}/:`,
    "build:read",
    viewers("200 content"),
    finished("/artifacts/out.txt?download", { content: "made" }),
    "as a file",
  ),
  tableRow("GET /b/:/:/tests", "build:read", viewers("200"), finished("/tests")),
  tableRow("GET /b/:/:/tags", "build:read", viewers("200"), finished("/tags")),
  tableRow("POST /b/:/:/tags", "build:write", members("201"), ({ records }) => ({
    path: `${records.finished.url}/tags`,
    json: [aWord("tag")],
  })),
  tableRow("GET /b/:/:/tags/:", "build:read", viewers("200"), finished("/tags/v1")),
  tableRow("DELETE /b/:/:/tags/:", "build:delete", members("204"), aTag),
];
