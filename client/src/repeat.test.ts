import { createClient } from "./index.js";
import { type RepeatOptions, repeating } from "./repeat.js";

const url = "https://ci.example.com/api";
const build = () => new Response('{"number": 1}', { status: 201, headers: { "Content-Type": "application/json" } });
const down = (status: number, headers = {}) => new Response("{}", { status, headers });
const lost = (code = "ECONNRESET") =>
  new TypeError("fetch failed", { cause: Object.assign(new Error(code), { code }) });

/** Returns a `fetch` for a server that answers with these, the last one again and again; what it received; the pauses. */
function sender(answers: readonly (() => Response | Error)[], options: RepeatOptions = {}) {
  const received: { key: string | null; body: string }[] = [];
  const pausesMs: number[] = [];
  const fetch = async (request: Request) => {
    received.push({ key: request.headers.get("Idempotency-Key"), body: await request.text() });
    const answer = (answers[received.length - 1] ?? answers.at(-1)!)();
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const send = repeating(fetch, options, async (ms) => void pausesMs.push(ms));
  const post = (path: string, headers = {}) =>
    send(new Request(url + path, { method: "POST", body: "the body", headers }));
  return { post, send, received, pausesMs };
}

test.each([
  ["a lost connection", () => lost()],
  ["502", () => down(502)],
  ["503", () => down(503, { "Retry-After": "2" })],
  ["504", () => down(504)],
])("a submission is repeated after %s, with the same key and body", async (_what, failure) => {
  const errors: unknown[] = [];
  const { post, received } = sender([failure, failure, build], { onRepeat: (error) => errors.push(error) });
  expect(await (await post("/builds")).json()).toEqual({ number: 1 });
  expect(errors).toEqual([expect.any(Error), expect.any(Error)]);
  expect(received).toHaveLength(3);
  expect(new Set(received.map((one) => JSON.stringify(one))).size).toBe(1);
  expect(received[0]).toEqual({ key: expect.stringMatching(/^[0-9a-f]{32}$/), body: "the body" });
});

test("a response whose body breaks off is requested again", async () => {
  const pull = (controller: ReadableStreamDefaultController) => controller.error(new TypeError("terminated"));
  const { post, received } = sender([() => new Response(new ReadableStream({ pull }), { status: 201 }), build]);
  expect(await (await post("/builds")).json()).toEqual({ number: 1 });
  expect(received).toHaveLength(2);
});

test("the pauses grow, and after six attempts the last failure counts", async () => {
  const refused = sender([() => down(503)]);
  expect((await refused.post("/builds")).status).toBe(503);
  expect(refused.received).toHaveLength(6);
  expect(refused.pausesMs).toHaveLength(5);
  for (const [nth, ms] of refused.pausesMs.entries()) {
    expect(ms).toBeGreaterThanOrEqual(0.75 * 250 * 2 ** nth);
    expect(ms).toBeLessThanOrEqual(1.25 * 250 * 2 ** nth);
  }
  const asked = sender([() => down(503, { "Retry-After": "2" }), build]);
  await asked.post("/builds");
  expect(asked.pausesMs).toEqual([2_000]);
  const away = sender([() => lost("ECONNREFUSED")]);
  await expect(away.post("/cron/1/run")).rejects.toThrow("fetch failed");
  expect(away.received).toHaveLength(6);
});

test.each([
  ["a mistake", () => down(400)],
  ["an internal error", () => down(500)],
  ["a pause of an hour", () => down(503, { "Retry-After": "3600" })],
  ["a certificate that is not trusted", () => lost("DEPTH_ZERO_SELF_SIGNED_CERT")],
  ["a wrong host name", () => lost("ENOTFOUND")],
  ["a server that does not respond for minutes", () => lost("UND_ERR_HEADERS_TIMEOUT")],
  ["an interruption", () => new DOMException("Aborted", "AbortError")],
])("a submission is not repeated after %s", async (_what, failure) => {
  const { post, received } = sender([failure, build]);
  await post("/builds").catch(() => undefined);
  expect(received).toHaveLength(1);
});

test("each submission has a key of its own, unless the caller gives one; other requests have none, and are sent once", async () => {
  const { post, received } = sender([build]);
  await post("/builds");
  await post("/builds", { "Idempotency-Key": "mine" });
  await post("/b/ann/1/restart");
  const keys = received.map(({ key }) => key);
  expect(keys.map((key) => key?.length)).toEqual([32, 4, 32]);
  expect(new Set(keys).size).toBe(3);
  const others = sender([() => down(503)]);
  await others.post("/variables");
  await others.send(new Request(`${url}/builds`));
  expect(others.received.map(({ key }) => key)).toEqual([null, null]);
});

test("a client repeats its submissions, and an interruption ends the pause", async () => {
  const interrupted = new AbortController();
  const failures = [lost(), down(503, { "Retry-After": "15" })];
  const keys: (string | null)[] = [];
  const fetch = async ({ headers }: Request) => {
    keys.push(headers.get("Idempotency-Key"));
    const failure = failures.shift()!;
    if (failure instanceof Error) throw failure;
    return failure;
  };
  const onRepeat = () => void (failures.length === 0 && setImmediate(() => interrupted.abort()));
  const client = createClient({ url, fetch, repeatSignal: interrupted.signal, onRepeat });
  const submitting = client.api.POST("/builds", { body: { manifest: "jobs: []" } });
  await expect(submitting).rejects.toMatchObject({ name: "AbortError" });
  expect(keys).toEqual([keys[0], keys[0]]);
});
