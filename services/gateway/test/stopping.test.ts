import { text } from "node:stream/consumers";
import { Fault } from "@ci/kit/rpc/fault";
import type { Build, WatchOutputRequest, WatchOutputResponse } from "@ci/proto/builds/v1/builds";
import { eventually } from "@ci/testkit/eventually";
import { suite } from "@ci/testkit/suite";
import { gatewayWith } from "./_peers.js";

const names = suite();
const build = { id: 1, userId: 1, number: 1, status: "running", tags: [], outputBytes: 0 } as unknown as Build;
const never = new AbortController().signal;

test("a draining gateway is not ready and keeps answering, each answer the last on its connection", async () => {
  await using gateway = await gatewayWith(names, {});
  expect(await gateway.ready()).toBe(200);
  expect((await gateway.get("/version")).headers.connection).toBe("keep-alive");
  await gateway.drain(never);
  expect(await gateway.ready()).toBe(503);
  const { status, headers } = await gateway.get("/version");
  expect([status, headers.connection]).toEqual([200, "close"]);
});

test("a stopping gateway answers open requests", async () => {
  let answer = (_: { build: Build }) => {};
  const asked = new Promise<{ build: Build }>((resolve) => {
    answer = resolve;
  });
  let seen = false;
  const getBuild = () => {
    seen = true;
    return asked;
  };
  const gateway = await gatewayWith(names, { builds: { getBuild } });
  const answered = gateway.get("/b/ann/1");
  await eventually(() => expect(seen).toBe(true));
  const stopped = gateway[Symbol.asyncDispose]();
  await eventually(() => expect(fetch(`${gateway.origin}/version`)).rejects.toThrow());
  answer({ build });
  expect(await answered).toMatchObject({ status: 200, headers: { connection: "close" } });
  await stopped;
});

describe("a stream whose service stops", () => {
  const piece = (text: string, offset: number): WatchOutputResponse => ({
    item: { $case: "piece", value: { text, offset } },
  });
  const streaming = { headers: { accept: "text/event-stream" } };
  const getBuild = async () => ({ build });

  test("continues with the next replica after the last message", async () => {
    const asked: number[] = [];
    async function* watchOutput({ offset }: WatchOutputRequest): AsyncGenerator<WatchOutputResponse> {
      asked.push(offset);
      if (asked.length === 1) yield piece("one", 3);
      // A requeued build waits, and its output continues at the same offset.
      if (asked.length === 1) yield { item: { $case: "waiting", value: { text: "Waiting: for a runner" } } };
      if (asked.length <= 2) throw new Fault("unavailable", "Service unavailable");
      yield piece("two", 6);
      yield { item: { $case: "end", value: { status: "passed" } } };
    }
    await using gateway = await gatewayWith(names, { builds: { getBuild, watchOutput } });
    const said = await text(await gateway.open("GET", "/b/ann/1/output", streaming));
    expect(said.match(/data: .*/g)).toEqual(['data: "one"', 'data: "two"', 'data: {"status":"passed"}']);
    expect(said).toMatch(/^id: 3\ndata: "one"\n\n: Waiting: for a runner\n\n/m);
    expect(asked).toEqual([0, 3, 3]);
  });

  test("is cut if it fails for another reason", async () => {
    async function* watchOutput(): AsyncGenerator<WatchOutputResponse> {
      yield piece("one", 3);
      throw new Fault("not_found", "Not Found");
    }
    await using gateway = await gatewayWith(names, { builds: { getBuild, watchOutput } });
    await expect(text(await gateway.open("GET", "/b/ann/1/output", streaming))).rejects.toThrow();
  });
});
