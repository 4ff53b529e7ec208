import { createLog } from "@ci/kit/process/log";
import { Fault, notFound } from "@ci/kit/rpc/fault";
import { healthCheck } from "./health.js";

test("a failed check says once a minute which service does not respond, and why", async () => {
  const lines: unknown[] = [];
  const log = Object.assign(createLog("gateway", "silent"), { warn: (fields: unknown) => void lines.push(fields) });
  const cause = new Error("connection refused");
  let at = 0;
  let isDown = true;
  const getImage = () => Promise.reject(isDown ? new Fault("unavailable", "down", undefined, { cause }) : notFound());
  const services = {
    accounts: { resolve: async () => ({}) },
    builds: { getLatestBuilds: async () => ({}) },
    images: { getImage },
    webhooks: { getWebhook: () => Promise.reject(notFound()) },
  };
  const check = healthCheck(services as never, log, () => at);
  const unavailable = { code: "unavailable", message: "Service unavailable" };
  for (const [ms, count] of [
    [0, 1],
    [59_999, 1],
    [60_000, 2],
  ] as const) {
    at = ms;
    await expect(check()).rejects.toMatchObject(unavailable);
    expect(lines).toEqual(Array.from({ length: count }, () => ({ peer: "images", err: cause })));
  }
  isDown = false;
  await check();
});
