import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { deployDir } from "./_compose.js";

const file = JSON.stringify(pathToFileURL(join(deployDir, "local/provision/machine.mjs")).href);
const script = `
  import { createSocket } from "node:dgram";
  import { mock } from "node:test";
  const { freePort } = await import(${file});
  mock.timers.enable({ apis: ["setTimeout"] });
  const port = await freePort();
  mock.timers.tick(24 * 3_600_000);
  createSocket("udp4")
    .unref()
    .once("error", ({ code }) => console.log(code))
    .bind(port, "127.0.0.1", () => console.log("free"));`;

test("npm start holds its ports as long as it runs, because a part that restarts listens on its port again", () => {
  expect(
    execFileSync(process.execPath, ["--no-warnings", "--input-type=module", "-e", script], { encoding: "utf8" }),
  ).toBe("EADDRINUSE\n");
});
