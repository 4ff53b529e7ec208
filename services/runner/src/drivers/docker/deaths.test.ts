import { once } from "node:events";
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { eventually } from "@ci/testkit/eventually";
import Docker from "dockerode";
import { watchDeaths } from "./deaths.js";

const death = `${JSON.stringify({ Action: "die", Actor: { ID: "one", Attributes: { exitCode: "3" } } })}\n`;

async function withEngine(answer: RequestListener, work: (engine: Docker) => Promise<void>): Promise<void> {
  const server = createServer(answer);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const { port } = server.address() as AddressInfo;
    await work(new Docker({ protocol: "http", host: "127.0.0.1", port }));
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test.each([
  ["in the middle of a line", death.slice(0, 30)],
  ["with an error", '{"message":"no such journal","response":500}\n'],
])("a stream of events that ends %s ends nothing else", (_, last) =>
  withEngine(
    (_request, response) => response.end(death + last),
    async (engine) => {
      // The second stream comes after the end of the first.
      for (const _stream of [1, 2]) {
        using deaths = await watchDeaths(engine, {});
        expect(await deaths.of("one").death).toEqual({ code: 3, killed: false });
      }
    },
  ),
);

test("a stream of events that ends is opened again, also after the engine was away", async () => {
  let asked = 0;
  const answers: RequestListener[] = [
    (_request, response) => response.end(),
    (_request, response) => response.write("{", () => response.destroy()),
    (_request, response) => response.writeHead(503).end(),
    (_request, response) => response.write(death),
  ];
  const answer: RequestListener = (request, response) => answers[Math.min(asked++, 3)]!(request, response);
  await withEngine(answer, async (engine) => {
    using deaths = await watchDeaths(engine, {});
    await eventually(() => expect(asked).toBe(4));
    expect(await deaths.of("one").death).toEqual({ code: 3, killed: false });
  });
});

test("an engine that does not respond is asked again for its events, from a minute before the first request on", async () => {
  const openedAt = 1_700_000_000;
  const kill = `${JSON.stringify({ Action: "kill", Actor: { ID: "one", Attributes: {} } })}\n`;
  const asked: (string | null)[] = [];
  let first: ServerResponse;
  const answer: RequestListener = ({ url }, response) => {
    asked.push(new URL(url!, "http://engine").searchParams.get("since"));
    if (asked.length > 2) response.write(kill + death);
    if (asked.length > 1) return;
    first = response.writeHead(200, { Date: new Date(openedAt * 1_000).toUTCString() });
    first.flushHeaders();
  };
  await withEngine(answer, async (engine) => {
    using deaths = await watchDeaths(engine, {}, { reopenWithinMs: 1_000, toldWithinMs: 15_000 });
    const { death: died, wasKilled } = deaths.of("one");
    first.end();
    expect(await wasKilled()).toBe(true);
    expect(await died).toEqual({ code: undefined, killed: true });
    expect(asked.slice(0, 3)).toEqual([null, String(openedAt - 60), String(openedAt - 60)]);
  });
});

test("an engine that ends each stream of events has told what it knows", () =>
  withEngine(
    (_request, response) => response.end(),
    async (engine) => {
      using deaths = await watchDeaths(engine, {});
      expect(await deaths.of("one").wasKilled()).toBe(false);
    },
  ));
