import { expireInputs } from "@ci/access/build-inputs";
import { parseKeys } from "@ci/kit/security/secrets";
import { readManifest } from "@ci/manifest/manifest";
import type { GetBuildInputsResponse } from "@ci/proto/namespaces/v1/resources";
import { eventually } from "@ci/testkit/eventually";
import { cachingInputs, readInputs } from "./read-inputs.js";

const request = { userId: 1, ancestorIds: [], objectNames: [] };
const inputsWith = (value: string): GetBuildInputsResponse => ({
  variables: [{ id: 1, key: "A", value, masked: false }],
  keys: [],
  objects: [],
});

/** Returns a cache in front of a service that numbers its answers, and pads them to `length` characters. */
function service(length?: number) {
  const state = { calls: 0 };
  const answer = async () => inputsWith(length === undefined ? `${++state.calls}` : `${++state.calls}`.padEnd(length));
  const { getBuildInputs } = cachingInputs({ getBuildInputs: answer });
  return { state, read: async (userId = 1) => (await getBuildInputs({ ...request, userId })).variables[0]!.value };
}

test("builds of the same user that follow each other share an answer", () =>
  eventually(async () => {
    const { read } = service();
    expect([await read(), await read(), await read(2)]).toEqual(["1", "1", "2"]);
  }));

test("no answer outlives expireInputs", async () => {
  const { read } = service();
  for (let nth = 1; nth <= 10; nth++) {
    expect(await read()).toBe(`${nth}`);
    await expireInputs();
  }
});

test("an answer counts from its question, however long it takes", async () => {
  let calls = 0;
  const { getBuildInputs } = cachingInputs({
    async getBuildInputs() {
      calls++;
      await expireInputs();
      return inputsWith("");
    },
  });
  await getBuildInputs(request);
  await getBuildInputs(request);
  expect(calls).toBe(2);
});

test("builds that follow each other closely do not wait for the next call", () =>
  eventually(async () => {
    const answers = [async () => inputsWith("1"), () => new Promise<GetBuildInputsResponse>(() => {})];
    const { getBuildInputs } = cachingInputs({ getBuildInputs: () => answers.shift()!() });
    await getBuildInputs(request);
    while (answers.length > 0) {
      const late = new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));
      // On a machine that stalls, the answer may have ended.
      expect(await Promise.race([getBuildInputs(request), late])).toEqual(inputsWith("1"));
    }
  }));

test("builds ask again if the call ahead of time failed", async () => {
  let calls = 0;
  const { getBuildInputs } = cachingInputs({
    async getBuildInputs() {
      if (++calls === 2) throw new Error("away");
      return inputsWith(`${calls}`);
    },
  });
  await eventually(async () => expect(await getBuildInputs(request)).toEqual(inputsWith("3")));
});

test("large answers are not kept", async () => {
  const { read, state } = service(5 * 1024 ** 2);
  await read();
  await read();
  expect(state.calls).toBe(2);
});

test("a matrix of ten tiny builds counts as small", async () => {
  const text = `matrix: {N: [${Array.from({ length: 10 }, (_, n) => n)}]}\ndriver: {type: os}\njobs: [{commands: [a]}]\n`;
  const read = readManifest(text, { maxBytes: 2 ** 20, maxStages: 100, maxJobs: 500 });
  if (!("manifest" in read)) throw new Error("invalid");
  const none = { variables: [], keys: [], objects: [] };
  const keyring = parseKeys(`k:${Buffer.alloc(32).toString("base64")}`);
  const ctx = {
    inputs: { getBuildInputs: async () => none },
    config: { keyring, maskedBytes: 1 },
    now: () => new Date(),
  };
  const draft = { text, manifest: read.manifest, tags: [], userId: 7, trigger: () => ({ type: "manual" }) as never };
  const { bytes, complaints } = await readInputs(ctx as never, draft);
  expect(complaints).toEqual({ manifest: [], variables: [] });
  expect(bytes).toBeGreaterThan(10 * 500);
  expect(bytes).toBeLessThan(64 * 1024);
});
