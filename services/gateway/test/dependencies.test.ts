import { execFile } from "node:child_process";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const gateway = join(__dirname, "..");
const expressGateway = realpathSync(join(gateway, "node_modules/express-gateway"));
/** pnpm puts the dependencies of a package beside it. */
const beside = join(expressGateway, "..");
const { dependencies } = JSON.parse(readFileSync(join(expressGateway, "package.json"), "utf8"));

/** Returns the files that are loaded when express-gateway hosts our policies. */
async function loadedFiles(): Promise<string[]> {
  const script = `
    const { hostPolicies } = require(${JSON.stringify(join(gateway, "dist/http/host.js"))});
    const answer = (request, response, next) => next();
    hostPolicies({ "request-id": answer, pages: answer, authenticate: answer, api: answer }, () => {}).then(() => {
      process.stdout.write(JSON.stringify(Object.keys(require.cache)), () => process.exit());
    });`;
  const { stdout } = await promisify(execFile)(process.execPath, ["-e", script], { maxBuffer: 16 * 1024 ** 2 });
  return JSON.parse(stdout);
}

test("express-gateway is installed with the packages that it loads here, and no others", async () => {
  const installed = Object.keys(dependencies).filter((name) => existsSync(join(beside, name)));
  const loaded = await loadedFiles();
  const unused = installed.filter((name) => {
    const folder = `${realpathSync(join(beside, name))}/`;
    return !loaded.some((file) => file.startsWith(folder));
  });
  expect(unused).toEqual([]);
  expect(installed).toContain("express");
});
