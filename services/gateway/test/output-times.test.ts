import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { aBuild } from "@ci/testkit/builders";
import { constellation, created, type SignedUp } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { sharedFolder } from "@ci/testkit/shared-folder";
import { type Block, openStream } from "./_sse.js";

const ci = constellation({ runner: true });
let ann: SignedUp;
let dir: string;
beforeAll(async () => {
  ann = await ci.signUp();
  dir = sharedFolder("ci-times-");
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const stamps = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z /gm;
const withoutTimes = (text: string) => text.replace(stamps, "");
const textOf = (events: readonly Block[]) =>
  events.flatMap(({ event, data }) => (event === "output" ? [data] : [])).join("");

/** Reads a stream of events to its end. */
async function allEvents(path: string, lastEventId?: string): Promise<Block[]> {
  using stream = await openStream(ann, path, lastEventId);
  await stream.closed;
  return stream.events();
}

async function ended(url: string) {
  return eventually(async () => {
    const { json } = await ann.get(url);
    expect(json.status).toBe("passed");
    return json;
  });
}

test("output is returned with the time of each line", async () => {
  const jobs = [{ stage: "test", commands: ["echo grüße", "printf 'no newline'"] }];
  const build = await ended(created(await ann.post("/builds", aBuild({ jobs }))).url);
  const job = (await ann.get(`${build.jobs_url}/test.1`)).json;
  for (const { output_url, output, started_at } of [build, job]) {
    const url = `${output_url}?timestamps=true`;
    const { status, text, headers } = await ann.get(url, { range: "bytes=2-5" });
    expect([status, withoutTimes(text)]).toEqual([200, output]);
    const times = text.match(stamps)!;
    expect(times).toHaveLength(text.trimEnd().split("\n").length);
    for (const stamp of times) {
      const time = stamp.trim();
      expect(Date.parse(time)).toBeGreaterThanOrEqual(Date.parse(started_at));
      expect(Date.parse(time)).toBeLessThanOrEqual(Date.parse(build.finished_at));
    }
    expect([headers["accept-ranges"], headers["content-length"]]).toEqual([undefined, undefined]);
    const head = await ann.send("HEAD", url, { headers: { range: "bytes=999999-" } });
    expect([head.status, head.headers["content-length"], head.headers["accept-ranges"]]).toEqual([
      ...[200, undefined, undefined],
    ]);
    const file = await ann.get(`${url}&download`);
    expect([file.text, file.headers["content-disposition"]]).toEqual([text, expect.stringMatching(/^attachment/)]);
    expect((await ann.get(`${output_url}?timestamps=false`)).text).toBe(output);
    expect(textOf(await allEvents(url))).toBe(text);
  }
});

test("a stream with times resumes after any event, in the middle of a line and at its beginning", async () => {
  const open = (name: string) => `while [ ! -e ${join(dir, name)} ]; do sleep 0.05; done`;
  const begin = "set +x; printf 'first\\nsecond begins'";
  const commands = [`${begin}; ${open("one")}; echo ' and ends'; ${open("two")}; echo third`];
  const { url } = created(await ann.post("/builds", aBuild({ jobs: [{ stage: "test", name: "say", commands }] })));
  const output = `${url}/jobs/say/output?timestamps=true`;
  using live = await openStream(ann, output);
  const received = (text: string) =>
    eventually(() => {
      expect(withoutTimes(textOf(live.events()))).toContain(text);
      return textOf(live.events()).length;
    });
  await received("second begins");
  await writeFile(join(dir, "one"), "");
  await received("and ends");
  await writeFile(join(dir, "two"), "");
  await live.closed;
  const events = live.events().filter(({ event }) => event === "output");
  const whole = textOf(events);
  expect(whole).toMatch(/^\S{23}Z second begins and ends$/m);
  expect(withoutTimes(whole)).toBe((await ann.get(`${url}/jobs/say`)).json.output);
  expect((await ann.get(output)).text).toBe(whole);
  const ids = events.map(({ id }) => Number(id));
  expect(ids.at(-1)).toBe(Buffer.byteLength(withoutTimes(whole)));
  for (const [nth, id] of ids.entries())
    expect(textOf(await allEvents(output, String(id)))).toBe(textOf(events.slice(nth + 1)));
  expect(textOf(await allEvents(output, "999999"))).toBe("");
});

test("only true and false are accepted, and only of output that the caller can see", async () => {
  const { url } = created(await ann.post("/builds", aBuild({ driver: { type: "qemu", image: "none" } })));
  const eve = await ci.signUp();
  for (const path of [`${url}/output`, `${url}/jobs/create-driver/output`])
    for (const value of ["1", "yes", "TRUE"]) {
      const refused = await ann.get(`${path}?timestamps=${value}`, { accept: "text/event-stream" });
      expect([refused.status, refused.json]).toEqual([400, { timestamps: ["Timestamps must be true or false"] }]);
      expect((await eve.get(`${path}?timestamps=${value}`)).status).toBe(404);
    }
  expect(await ann.get(`${url}/output?timestamps=true`)).toMatchObject({ status: 200, text: "" });
  expect((await ann.get(`${url}/jobs/none/output?timestamps=1`)).status).toBe(404);
});
