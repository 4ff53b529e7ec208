import { createClient, serverClock } from "./index.js";

const serverMs = Date.parse("2026-11-28T12:00:00.400Z");
const headers = { Date: "Sat, 28 Nov 2026 12:00:00 GMT" };

/** Returns a clock after one request from a machine that is off by some time, and how far the clock is from the server's. */
async function afterRequest(offMs: number, response = new Response(null, { status: 204, headers })) {
  const clock = serverClock(() => serverMs + offMs);
  const client = createClient({ url: "https://ci.example.com", fetch: clock.timed(async () => response) });
  await client.request("/version");
  return clock.now() - serverMs;
}

test.each([-86_400_000, -300_000, 300_000, 86_400_000])(
  "the server's clock is followed on a machine that is %i ms off",
  async (offMs) => {
    expect(Math.abs(await afterRequest(offMs))).toBeLessThan(1_000);
  },
);

test("a machine whose clock may be right is not corrected, nor is one without a date", async () => {
  expect(await afterRequest(500)).toBe(500);
  expect(await afterRequest(90_000, new Response(null, { status: 204 }))).toBe(90_000);
});
