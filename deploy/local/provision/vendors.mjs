// Downloads programs from their vendors, if everything else failed, and checks them against the checksum published there.
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fetchBody } from "./fetch.mjs";
import { lastLine, run } from "./machine.mjs";

const mongoVersion = "6.0.19";
const natsVersion = "v2.14.10";

/**
 * Returns the URLs of a program's archive and of the list with its checksum.
 * @param {"mongod" | "nats-server"} name
 * @returns {{ archive: string, sums: string }}
 */
const urlsOf = (name) => {
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
 * Unpacks the file with this name from an archive.
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
    if (!found) throw new Error(`the archive contains no ${name}`);
    return readFileSync(join(dir, found));
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
};

/**
 * Downloads a program.
 * @param {"mongod" | "nats-server"} name
 * @param {{ archive: string, sums: string }} [urls]
 * @returns {Promise<Buffer>}
 * @throws {Error} whose message says why the download failed
 */
export const fetchFromVendor = async (name, { archive, sums } = urlsOf(name)) => {
  const lines = (await fetchBody(sums)).toString().split("\n");
  const line = lines.find((one) => one.trim().endsWith(basename(archive)));
  const bytes = await fetchBody(archive);
  if (line?.split(/\s/)[0] !== createHash("sha256").update(bytes).digest("hex"))
    throw new Error(`${basename(archive)} does not match the checksum at ${new URL(sums).host}`);
  return unpack(bytes, name);
};
