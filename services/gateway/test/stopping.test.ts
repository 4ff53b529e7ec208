import { text } from "node:stream/consumers";
import { Fault } from "@ci/kit/rpc/fault";
import type { Build, WatchOutputRequest, WatchOutputResponse } from "@ci/proto/builds/v1/builds";
import { eventually } from "@ci/testkit/eventually";
import { suite } from "@ci/testkit/suite";
import { gatewayWith } from "./_peers.js";

const names = suite();
const build = { id: 1, userId: 1, number: 1, status: "running", tags: [], outputBytes: 0 } as unknown as Build;
const never = new AbortController().signal;

test("a draining gateway is not ready, answers requests and closes each connection after its response", async () => {
  await using gateway = await gatewayWith(names, {});
  expect(await gateway.ready()).toBe(200);
  expect((await gateway.get("/version")).headers.connection).toBe("keep-alive");
  await gateway.drain(never);
  expect(await gateway.ready()).toBe(503);
  const { status, headers } = await gateway.get("/version");
  expect([status, headers.connection]).toEqual([200, "close"]);
});

test("a stopping gateway completes running requests", async () => {
  let answerBuild = (_: { build: Build }) => {};
  const buildAnswer = new Promise<{ build: Build }>((resolve) => {
    answerBuild = resolve;
  });
  let reached = false;
  const getBuild = () => {
    reached = true;
    return buildAnswer;
  };
  const gateway = await gatewayWith(names, { builds: { getBuild } });
  const response = gateway.get("/b/ann/1");
  await eventually(() => expect(reached).toBe(true));
  const stopped = gateway[Symbol.asyncDispose]();
  await eventually(() => expect(fetch(`${gateway.origin}/version`)).rejects.toThrow());
  answerBuild({ build });
  expect(await response).toMatchObject({ status: 200, headers: { connection: "close" } });
  await stopped;
});

describe("a stream whose service stops", () => {
  const piece = (text: string, offset: number): WatchOutputResponse => ({
    item: { $case: "piece", value: { text, offset } },
  });
  const streaming = { headers: { accept: "text/event-stream" } };
  const getBuild = async () => ({ build });

  test("continues with the next replica after the last message", async () => {
    const offsets: number[] = [];
    async function* watchOutput({ offset }: WatchOutputRequest): AsyncGenerator<WatchOutputResponse> {
      offsets.push(offset);
      if (offsets.length === 1) yield piece("one", 3);
      // A requeued build waits. Its output continues at the same offset.
      if (offsets.length === 1) yield { item: { $case: "waiting", value: { text: "Waiting: for a runner" } } };
      if (offsets.length <= 2) throw new Fault("unavailable", "Service unavailable");
      yield piece("two", 6);
      yield { item: { $case: "end", value: { status: "passed" } } };
    }
    await using gateway = await gatewayWith(names, { builds: { getBuild, watchOutput } });
    const received = await text(await gateway.open("GET", "/b/ann/1/output", streaming));
    expect(received.match(/data: .*/g)).toEqual(['data: "one"', 'data: "two"', 'data: {"status":"passed"}']);
    expect(received).toMatch(/^id: 3\ndata: "one"\n\n: Waiting: for a runner\n\n/m);
    expect(offsets).toEqual([0, 3, 3]);
  });

  test("breaks off if it fails for another reason", async () => {
    async function* watchOutput(): AsyncGenerator<WatchOutputResponse> {
      yield piece("one", 3);
      throw new Fault("not_found", "Not Found");
    }
    await using gateway = await gatewayWith(names, { builds: { getBuild, watchOutput } });
    await expect(text(await gateway.open("GET", "/b/ann/1/output", streaming))).rejects.toThrow();
  });
});
