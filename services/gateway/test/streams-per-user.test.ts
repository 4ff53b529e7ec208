import { json } from "node:stream/consumers";
import type { Api } from "@ci/testkit/api";
import { constellation, created } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { openStream } from "./_sse.js";

const ci = constellation({ settings: { STREAMS_PER_USER: "2", DRIVERS: "os" } });

const manifest = "driver: {type: os}\nstages: [a]\njobs:\n- stage: a\n  commands: [echo]\n";
const statusOf = async (api: Api, path: string) => {
  const response = await api.open("GET", path, { headers: { accept: "text/event-stream" } });
  response.on("error", () => undefined).destroy();
  return response.statusCode;
};

test("a user may have so many streams of events and output together, and others have their own", async () => {
  const [ann, bob] = await Promise.all([ci.signUp(), ci.signUp()]);
  const paths: string[] = [];
  for (const { username } of [ann, bob]) {
    const api = username === ann.username ? ann : bob;
    created(await api.post("/namespaces", { name: "x" }));
    paths.push(`/n/${username}/x/-/events`);
  }
  const [events, others] = paths as [string, string];
  const { number } = created(await ann.post("/builds", { manifest }));
  const output = `/b/${ann.username}/${number}/output`;
  using first = await openStream(ann, events);
  const second = await ann.open("GET", output, { headers: { accept: "text/event-stream" } });
  expect(second.statusCode).toBe(200);
  for (const path of [events, output]) {
    const refused = await ann.open("GET", path, { headers: { accept: "text/event-stream" } });
    expect([refused.statusCode, refused.headers["retry-after"]]).toEqual([429, "30"]);
    expect(await json(refused)).toEqual({
      message: "Streams cannot exceed 2 per user (STREAMS_PER_USER); close one first",
    });
  }
  using theirs = await openStream(bob, others);
  second.on("error", () => undefined).destroy();
  await eventually(async () => expect(await statusOf(ann, events)).toBe(200));
  expect([first, theirs].map(({ events }) => events())).toEqual([[], []]);
});
