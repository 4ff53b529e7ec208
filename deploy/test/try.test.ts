import { freePort } from "@ci/testkit/ports";
import { type Processes, startProcesses } from "@ci/testkit/processes";
import { suite } from "@ci/testkit/suite";
import { imageScript } from "./_scripts.js";

const names = suite();
let ci: Processes;
beforeAll(async () => {
  ci = await startProcesses(names, { DRIVERS: "os,docker" });
});
afterAll(() => ci?.[Symbol.asyncDispose]());

const tried = (drivers: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  imageScript("try.cjs", [ci.origin, ...drivers], { CI_ADMIN_TOKEN: ci.token, ...env });

it("an installation works if all services respond and runners serve its drivers", async () =>
  expect((await tried(["os"])).stdout).toMatch(/^Version \S+ works, and runners serve os\n$/));

it.each([
  ["no runner serves a driver", ["os", "docker"], {}, /No runner serves docker/],
  ["the token is not valid", ["os"], { CI_ADMIN_TOKEN: "wrong" }, /queue\?hours=1: 401/],
])("it does not work if %s", (_, drivers, env, complaint) =>
  expect(tried(drivers, { TRY_WITHIN_MS: "1", ...env })).rejects.toThrow(complaint),
);

it("it does not work if a service does not respond", async () => {
  await ci.kill("images");
  await expect(tried(["os"], { TRY_WITHIN_MS: "1" })).rejects.toThrow(/health: 503/);
  await ci.start("images");
});

it("it does not work if nothing listens there", async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  await expect(imageScript("try.cjs", [url], { TRY_WITHIN_MS: "1" })).rejects.toThrow(/ECONNREFUSED/);
});
