import { ApiError, errorOf, ForeignResponse } from "./errors.js";
import { follow, pauseAfter, type StreamEvent } from "./follow.js";

type Open = Parameters<typeof follow>[0];

/** Returns a response that sends these chunks and then ends, or breaks. */
function streamOf(chunks: readonly string[], breaks = false): Response {
  const left = chunks.map((chunk) => new TextEncoder().encode(chunk));
  return new Response(
    new ReadableStream({
      pull(controller) {
        const next = left.shift();
        if (next) controller.enqueue(next);
        else if (breaks) controller.error(new Error("reset"));
        else controller.close();
      },
    }),
  );
}

async function all(open: Open, options?: Parameters<typeof follow>[1]): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of follow(open, options)) events.push(event);
  return events;
}

const output = (id: number, text: string) => `event: output\nid: ${id}\ndata: ${JSON.stringify(text)}\n\n`;
const end = 'event: end\ndata: {"status":"passed"}\n\n';

test("events are read across the borders of chunks, and the stream ends with `end`", async () => {
  const text = `: waiting\n\n${output(1, "ü")}${end}`;
  const bytes = [...text].map((character) => character);
  expect(await all(async () => streamOf(bytes))).toEqual([
    { event: "output", id: "1", data: "ü" },
    { event: "end", id: undefined, data: { status: "passed" } },
  ]);
});

test("comments are passed on, and are no events", async () => {
  const comments: string[] = [];
  const stream = streamOf([": Waiting: no runner\n\n", ":\n\n", end]);
  const events = await all(async () => stream, { onComment: (comment) => comments.push(comment) });
  expect(comments).toEqual(["Waiting: no runner", ""]);
  expect(events).toHaveLength(1);
});

test("a lost connection is opened again after the last event", async () => {
  const asked: (string | undefined)[] = [];
  const connections: boolean[] = [];
  const answers = [streamOf([output(3, "abc")], true), streamOf([output(5, "de")]), streamOf([end])];
  const open: Open = async (headers) => {
    asked.push(headers["Last-Event-ID"]);
    return answers[asked.length - 1]!;
  };
  const events = await all(open, { onConnection: (connected) => connections.push(connected) });
  expect(events.map(({ data }) => data)).toEqual(["abc", "de", { status: "passed" }]);
  expect(asked).toEqual([undefined, "3", "5"]);
  expect(connections).toEqual([true, false, true, false, true]);
});

test("a connection that is lost before the first event continues where its stream began", async () => {
  const asked: (string | undefined)[] = [];
  const answers = [streamOf(["id: 4", "2\n\n", ":\n\n"], true), streamOf([":\n\n"], true), streamOf([end])];
  const open: Open = async (headers) => {
    asked.push(headers["Last-Event-ID"]);
    return answers[asked.length - 1]!;
  };
  await all(open);
  expect(asked).toEqual([undefined, "42", "42"]);
});

test("an error of the first connection is thrown, unless the caller waits for the server", async () => {
  const errors: unknown[] = [];
  const broken = (): Open => {
    let nth = 0;
    return async () => {
      if (nth++ === 0) throw new TypeError("fetch failed");
      return streamOf([end]);
    };
  };
  await expect(all(broken())).rejects.toThrow("fetch failed");
  const onConnection = (_connected: boolean, error?: unknown) => errors.push(error);
  expect(await all(broken(), { waitsForServer: true, onConnection })).toHaveLength(1);
  expect(errors).toEqual([new TypeError("fetch failed"), undefined]);
});

test("a server that cannot be reached later is tried again", async () => {
  let nth = 0;
  const open: Open = async () => {
    if (++nth === 2) throw new TypeError("fetch failed");
    return streamOf(nth === 1 ? [output(1, "a")] : [end]);
  };
  expect(await all(open)).toHaveLength(2);
});

test("a server that is busy is asked again, and a refusal is thrown", async () => {
  const errors = [new ApiError(503, "Service unavailable"), new ApiError(404, "Not Found")];
  const open: Open = async () => {
    throw errors.shift();
  };
  await expect(all(open)).rejects.toMatchObject({ status: 404 });
  expect(errors).toEqual([]);
});

test("a page that answers for the server is thrown, unless the caller waits for its proxy", async () => {
  const connections: boolean[] = [];
  const signingIn = (): Open => {
    let nth = 0;
    return async (headers) => {
      if (++nth === 2) throw new ForeignResponse("http://ci.test");
      return streamOf(nth === 1 ? [output(1, "a")] : [output(Number(headers["Last-Event-ID"]) + 1, "b"), end]);
    };
  };
  await expect(all(signingIn())).rejects.toThrow("does not answer as Service CI");
  const onConnection = (connected: boolean) => connections.push(connected);
  const events = await all(signingIn(), { waitsForProxy: true, onConnection });
  expect(events.map(({ id }) => id)).toEqual(["1", "2", undefined]);
  expect(connections).toEqual([true, false, false, true]);
});

test("the pause that a server asks for is kept", async () => {
  const times: number[] = [];
  const open: Open = async () => {
    times.push(performance.now());
    throw times.length === 1 ? new ApiError(503, "Busy", {}, 1) : new ApiError(404, "Not Found");
  };
  await expect(all(open)).rejects.toMatchObject({ status: 404 });
  // The usual first pause is at most 313 ms.
  expect(times[1]! - times[0]!).toBeGreaterThan(700);
});

test.each([
  [new ApiError(503, "Busy", {}, 1e7), 300_000],
  [new ApiError(503, "Busy", {}, 20), 20_000],
  [new ApiError(429, "Busy", {}, 0), 1_000],
  [new ApiError(503, "Busy"), 1_000],
  [new TypeError("fetch failed"), 1_000],
])("after %p, a pause of a second becomes one of %d ms", (error, ms) => expect(pauseAfter(error, 1_000)).toBe(ms));

test.each([
  ["120", 120],
  ["-1", 0],
  ["Wed, 21 Oct 2015 07:28:00 GMT", 0],
  ["soon", undefined],
  ["Infinity", undefined],
  [undefined, undefined],
])("Retry-After %s means %s seconds", (value, seconds) => {
  const response = new Response(null, { status: 503, headers: value === undefined ? {} : { "Retry-After": value } });
  expect(errorOf(response, undefined).retryAfterSeconds).toBe(seconds);
});

test("a Retry-After in the form of a date means the seconds until then", () => {
  const headers = { "Retry-After": new Date(Date.now() + 3_600_000).toUTCString() };
  const { retryAfterSeconds } = errorOf(new Response(null, { status: 503, headers }), undefined);
  expect(retryAfterSeconds).toBeLessThanOrEqual(3_600);
  expect(retryAfterSeconds).toBeGreaterThan(0);
});

test("the signal ends a stream that waits", async () => {
  const stopping = new AbortController();
  const open: Open = async (_headers, signal) => {
    setImmediate(() => stopping.abort());
    return new Response(
      new ReadableStream({
        start: (controller) => signal.addEventListener("abort", () => controller.error(signal.reason)),
      }),
    );
  };
  expect(await all(open, { signal: stopping.signal })).toEqual([]);
});

/** Opens a stream that sends these chunks and then stays open. */
const openStream =
  (chunks: readonly string[]): Open =>
  async (_headers, signal) =>
    new Response(
      new ReadableStream({
        start(controller) {
          signal.addEventListener("abort", () => controller.error(signal.reason));
          for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
        },
      }),
    );

const maxSilenceMs = 1_000;

/** Resolves when a server has been silent for longer than that. */
const silence = () =>
  new Promise<void>((resolve) => {
    const stopping = new AbortController();
    const onConnection = (connected: boolean) => {
      if (connected) return;
      stopping.abort();
      resolve();
    };
    void follow(openStream([]), { signal: stopping.signal, onConnection }, 2 * maxSilenceMs).next();
  });

test("the time that a caller spends on an event does not count as silence of the server", async () => {
  const connections: boolean[] = [];
  const onConnection = (connected: boolean) => connections.push(connected);
  const chunks = Array.from({ length: 30 }, (_, nth) => output(nth + 1, "a"));
  for await (const { id } of follow(openStream([...chunks, end]), { onConnection }, maxSilenceMs))
    if (id === "1") await silence();
  expect(connections).toEqual([true]);
});
