// The last way to a program: the download site of those who make it. What comes is held against the checksum that
// stands beside it there.
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fetchBody } from "./fetch.mjs";
import { lastLine, run } from "./machine.mjs";

const mongoVersion = "6.0.19";
const natsVersion = "v2.11.4";

/**
 * Where the archive of a program lies, and the list that holds its checksum.
 * @param {"mongod" | "nats-server"} name
 * @returns {{ archive: string, sums: string }}
 */
const placeOf = (name) => {
  const os = process.platform;
  if (name === "mongod") {
    const arm64 = os === "darwin" ? "arm64" : "aarch64";
    const cpu = /** @type {Record<string, string>} */ ({ x64: "x86_64", arm64 })[process.arch];
    const file = os === "darwin" ? `osx/mongodb-macos-${cpu}` : `linux/mongodb-linux-${cpu}-ubuntu2204`;
    const archive = `https://fastdl.mongodb.org/${file}-${mongoVersion}.tgz`;
    return { archive, sums: `${archive}.sha256` };
  }
  const cpu = /** @type {Record<string, string>} */ ({ x64: "amd64", arm64: "arm64" })[process.arch];
  const release = `https://github.com/nats-io/nats-server/releases/download/${natsVersion}`;
  return { archive: `${release}/nats-server-${natsVersion}-${os}-${cpu}.tar.gz`, sums: `${release}/SHA256SUMS` };
};

/**
 * Unpacks the one file of this name from an archive.
 * @param {Buffer} archive a gzipped tar
 * @param {string} name
 */
const unpack = async (archive, name) => {
  const dir = mkdtempSync(join(tmpdir(), "service-ci-"));
  try {
    writeFileSync(join(dir, "archive.tgz"), archive);
    const { code, stderr } = await run("tar", ["-xzf", "archive.tgz"], { cwd: dir });
    if (code !== 0) throw new Error(`tar: ${lastLine(stderr)}`);
    const found = readdirSync(dir, { recursive: true, encoding: "utf8" }).find((path) => basename(path) === name);
    if (!found) throw new Error(`the archive holds no ${name}`);
    return readFileSync(join(dir, found));
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
};

/**
 * Downloads a program.
 * @param {"mongod" | "nats-server"} name
 * @param {{ archive: string, sums: string }} [place]
 * @returns {Promise<Buffer>}
 * @throws {Error} whose message says why it could not be had
 */
export const byVendor = async (name, { archive, sums } = placeOf(name)) => {
  const lines = (await fetchBody(sums)).toString().split("\n");
  const line = lines.find((one) => one.trim().endsWith(basename(archive)));
  const bytes = await fetchBody(archive);
  if (line?.split(/\s/)[0] !== createHash("sha256").update(bytes).digest("hex"))
    throw new Error(`${basename(archive)} has another checksum than ${new URL(sums).host} says`);
  return unpack(bytes, name);
};
