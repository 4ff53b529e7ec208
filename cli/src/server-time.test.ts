import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { cellOf } from "./format/cells.js";
import { elapsed } from "./format/units.js";
import { clientOf } from "./session.js";

const minuteMs = 60_000;
const aheadMs = 90 * minuteMs;

test("ages and durations follow the server's clock", async () => {
  const serverMs = () => Date.now() + aheadMs;
  const server = createServer((_, response) => {
    response.setHeader("Date", new Date(serverMs()).toUTCString()).writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await clientOf({ signal: new AbortController().signal, stderr: process.stderr, options: {} }, url).request(
      "/version",
    );
  } finally {
    server.closeAllConnections();
    server.close();
  }
  const createdAt = new Date(serverMs() - 90.5 * minuteMs).toISOString();
  const stdout = { isTTY: true } as never;
  expect(cellOf({ stdout }, { created_at: createdAt }, "created_at")).toEqual({ text: "1 h ago" });
  expect(elapsed(createdAt, null)).toBe("1 h 30 min");
});
