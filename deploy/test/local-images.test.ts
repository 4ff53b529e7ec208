import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { deployDir } from "./_compose.js";

const fileOf = (name: string) => JSON.stringify(pathToFileURL(join(deployDir, "local/start", name)).href);
const script = `
  const { servicesOf } = await import(${fileOf("parts.mjs")});
  const { createServiceKeys } = await import(${fileOf("service-keys.mjs")});
  const { parts } = await servicesOf({
    mongoUrlOf: () => "mongodb://127.0.0.1", natsUrlOf: () => "nats://127.0.0.1", url: "http://127.0.0.1", port: 80,
    adminToken: "a".repeat(32), secretKeys: "k:" + Buffer.alloc(32).toString("base64"), guardAllow: "", drivers: "docker",
    dataDir: "/tmp/x", serviceKeys: createServiceKeys(),
  });
  console.log(parts.find(({ name }) => name === "runner").env.DOCKER_LOCAL_IMAGES);
  process.exit();`;

function runnerSetting(DOCKER_LOCAL_IMAGES: string): string {
  const env = { ...process.env, CI_TEST_IMAGE: "busybox:1.37", DOCKER_LOCAL_IMAGES };
  return execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8", env }).trim();
}

test.each([
  ["", "service-ci/*,busybox:1.37"],
  ["tools:1,team/*", "service-ci/*,busybox:1.37,tools:1,team/*"],
  ["-", "-"],
])("npm start with DOCKER_LOCAL_IMAGES=%s lets builds use %s", (given, used) => {
  expect(runnerSetting(given)).toBe(used);
});
