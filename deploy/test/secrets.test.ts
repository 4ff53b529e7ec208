import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deployDir } from "./_compose.js";
import { composeSecrets } from "./_environments.js";

let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "ci-secrets-"));
  file = join(dir, "env");
});
afterEach(() => rmSync(dir, { recursive: true }));

const script = () => execFileSync("sh", [join(deployDir, "secrets.sh"), file], { encoding: "utf8" });
const read = () => readFileSync(file, "utf8");
const modeOf = () => statSync(file).mode & 0o777;

/** Writes the file as an operator does, readable by others. */
function write(text: string) {
  writeFileSync(file, text);
  chmodSync(file, 0o644);
}

/** The variables without which Compose does not start. */
const required = [...readFileSync(join(deployDir, "compose.yaml"), "utf8").matchAll(/\$\{(\w+):\?/g)].map(
  ([, name]) => name!,
);

it("creates everything that Compose requires, readable only by the owner", () => {
  expect(script()).toContain(`Created ${file} with CI_ADMIN_TOKEN SECRET_KEYS MONGO_KEY`);
  expect(Object.keys(composeSecrets(file))).toEqual(expect.arrayContaining(required));
  expect(modeOf()).toBe(0o600);
});

it("adds every missing secret to a file that has only settings, and says so", () => {
  write("CI_PORT=9000\nPUBLIC_URL=https://ci.example.com");
  expect(script()).toContain(`Completed ${file} with CI_ADMIN_TOKEN SECRET_KEYS MONGO_KEY`);
  expect(read()).toMatch(/^CI_PORT=9000\nPUBLIC_URL=https:\/\/ci.example.com\n/);
  expect(Object.keys(composeSecrets(file))).toEqual(expect.arrayContaining([...required, "DOCKER_GID"]));
  expect(modeOf()).toBe(0o600);
});

it("replaces no value, however it is written, and fills empty ones", () => {
  const given = `export SECRET_KEYS=mine\nCI_ADMIN_TOKEN: mine\n  MONGO_KEY = 'mine'\nNATS_PASSWORD="mine"\n`;
  write(`${given}MONGO_PASSWORD=\nMONGO_ROOT_PASSWORD=""\n`);
  script();
  expect(read().startsWith(given)).toBe(true);
  expect(read().match(/\b(?:SECRET_KEYS|CI_ADMIN_TOKEN|MONGO_KEY|NATS_PASSWORD)\b/g)).toHaveLength(4);
  expect(composeSecrets(file)).toMatchObject({
    MONGO_PASSWORD: expect.stringMatching(/^m\w{64}$/),
    MONGO_ROOT_PASSWORD: expect.stringMatching(/^m\w{64}$/),
  });
});

it("keeps a complete file, and makes it readable only by the owner", () => {
  script();
  const before = read();
  chmodSync(file, 0o644);
  expect(script()).toContain(`${file} has all secrets already`);
  expect(read()).toBe(before);
  expect(modeOf()).toBe(0o600);
});

it("starts again after an interruption", () => {
  write("CI_PORT=9000\n");
  writeFileSync(`${file}.new`, "CI_PORT=9000\nCI_ADMIN_TOKEN=ci_half\nSECRET_K");
  script();
  expect(read()).not.toMatch(/half|SECRET_K$/m);
  expect(Object.keys(composeSecrets(file))).toEqual(expect.arrayContaining(["CI_PORT", ...required]));
});
