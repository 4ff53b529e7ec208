import { aWord } from "@ci/testkit/builders";
import { created } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { type Processes, startProcesses } from "@ci/testkit/processes";
import { suite } from "@ci/testkit/suite";

const names = suite();
let processes: Processes;
beforeAll(async () => {
  processes = await startProcesses(names, { LOG_LEVEL: "info" });
});
afterAll(() => processes?.[Symbol.asyncDispose]());

interface Line {
  readonly msg: string;
  readonly audit: { readonly requestId: string; readonly status: number; readonly record: string };
}
const logged = (text: string): Line[] =>
  text
    .split("\n")
    .filter((line) => line.includes('"msg":"audit"'))
    .map((line) => JSON.parse(line));

test("a gateway that is killed right after a response loses no audit entry, and its log has the outcome", async () => {
  let answered = 0;
  for (let round = 0; round < 5; round++) {
    const send = async (id: string) => {
      const json = { key: aWord("V_"), value: "in-the-body" };
      const { status } = await processes.api.send("POST", "/variables", { json, headers: { "X-Request-Id": id } });
      return status === 201 ? [id] : [];
    };
    const ids = (await Promise.all(Array.from({ length: 5 }, () => send(aWord("request"))))).flat();
    await processes.kill("gateway");
    answered += ids.length;
    // The gateway's last lines may not have reached this process yet.
    const lines = await eventually(() => {
      const found = logged(processes.logs("gateway")).filter(({ audit }) => ids.includes(audit.requestId));
      expect(found).toHaveLength(ids.length);
      return found;
    });
    await processes.start("gateway");
    const { json } = await eventually(async () => {
      const response = await processes.api.get("/audit");
      expect(response.status).toBe(200);
      return response;
    });
    for (const id of ids) {
      const stored = json.filter((entry: { request_id: string }) => entry.request_id === id);
      expect(stored).toEqual([expect.objectContaining({ action: "createVariable", username: "admin" })]);
      expect(["done", "unfinished"]).toContain(stored[0].outcome);
      const own = lines.filter(({ audit }) => audit.requestId === id);
      expect(own).toMatchObject([{ audit: { status: 201, record: expect.stringMatching(/^\/variables\/\d+$/) } }]);
      expect(JSON.stringify(own)).not.toMatch(/in-the-body|processes-of-a-test/);
    }
  }
  expect(answered).toBeGreaterThan(0);
});

test("a request whose audit entry cannot be stored gets 503; the entry is stored later", async () => {
  const { url } = created(
    await processes.api.post("/builds", { manifest: "{driver: {type: docker, image: x, workspace: /w}}" }),
  );
  const pinUnrecorded = async () => {
    // The gateway caches a token for a second. After that it would reject the request without an audit entry.
    await processes.api.get("/user");
    await processes.kill("namespaces");
    try {
      const id = aWord("request");
      expect((await processes.api.send("PATCH", `${url}/pin`, { headers: { "X-Request-Id": id } })).status).toBe(503);
      const found = () => {
        const [line] = logged(processes.logs("gateway")).filter(({ audit }) => audit.requestId === id);
        expect(line).toBeDefined();
        return [id, line!.audit.status] as const;
      };
      return await eventually(found, { withinMs: 1_000 });
    } finally {
      await processes.start("namespaces");
    }
  };
  const [id, status] = await eventually(pinUnrecorded, { withinMs: 300_000 });
  await eventually(async () => {
    const { json } = await processes.api.get("/audit");
    const stored = json.filter((entry: { request_id: string }) => entry.request_id === id);
    expect(stored).toMatchObject([{ action: "pinBuild", status }]);
  });
});

const manifest = "driver:\n  type: os\nstages:\n  - test\njobs:\n  - stage: test\n    commands:\n      - true\n";

test.each(["builds", "gateway", "namespaces"] as const)(
  "a submission has its entry though %s is killed right after the response",
  async (victim) => {
    const send = async (id: string) => {
      const response = await processes.api.send("POST", "/builds", {
        json: { manifest },
        headers: { "X-Request-Id": id },
      });
      return response.status === 201 ? [{ id, url: response.json.url }] : [];
    };
    const made = (await Promise.all(Array.from({ length: 5 }, () => send(aWord("request"))))).flat();
    await processes.kill(victim);
    expect(made).toHaveLength(5);
    await processes.start(victim);
    await eventually(async () => {
      const { json } = await processes.api.get("/audit?action=submitBuild");
      for (const { id, url } of made) {
        const stored = json.filter((entry: { request_id: string }) => entry.request_id === id);
        expect(stored).toMatchObject([{ outcome: "done", status: 201, username: "admin", record_url: url }]);
      }
    });
  },
);
