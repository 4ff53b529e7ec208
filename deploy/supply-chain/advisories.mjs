// `npm run advisories`: reports packages of the lockfile that have a known vulnerability. Asks the registry, and
// compares the lockfile with advisories.json, which is all it does without a network. Fails if a vulnerability is not accepted.
//   --registry URL   ask this registry
//   --list FILE      use this list instead of advisories.json
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { satisfies } from "semver";
import { parse } from "yaml";
import { pnpm } from "../local/provision/install.mjs";
import { repoRoot, run } from "../local/provision/machine.mjs";

/**
 * `vulnerable` is a range of versions. `accepted` says why we can live with the vulnerability.
 * @typedef {{ id: string, package: string, vulnerable: string, title: string, accepted?: string }} Advisory
 * @typedef {{ updated: string, advisories: Advisory[] }} List
 * @typedef {{ id: string, what: string, title: string, version: string }} Finding
 */

/** @returns {{ name: string, version: string }[]} every package of the lockfile */
const lockedPackages = () => {
  const { packages } = parse(readFileSync(join(repoRoot, "pnpm-lock.yaml"), "utf8"));
  return Object.keys(packages).map((key) => {
    const at = key.lastIndexOf("@");
    return { name: key.slice(0, at), version: key.slice(at + 1) };
  });
};

/** @param {List} list @returns {Finding[]} */
const findingsOfList = ({ advisories }) => {
  const locked = lockedPackages();
  return advisories.flatMap(({ id, package: name, vulnerable, title }) =>
    locked
      .filter((one) => one.name === name && satisfies(one.version, vulnerable, { includePrerelease: true }))
      .map(({ version }) => ({ id, what: name, title, version })),
  );
};

/**
 * Asks the registry. Not every registry answers, and there may be no network.
 * @param {string | undefined} registry
 * @returns {Promise<Finding[] | undefined>} undefined if the registry did not answer
 */
const findingsOfRegistry = async (registry) => {
  const args = ["audit", "--json", "--config.fetch-retries=0", ...(registry ? ["--registry", registry] : [])];
  const { stdout } = await run("npx", ["--yes", pnpm, ...args], { cwd: repoRoot, timeoutMs: 120_000 });
  try {
    /** @type {{ github_advisory_id: string, module_name: string, title: string, findings: { version: string }[] }[]} */
    const advisories = Object.values(JSON.parse(stdout).advisories);
    return advisories.flatMap(({ github_advisory_id: id, module_name: what, title, findings }) =>
      findings.map(({ version }) => ({ id, what, title, version })),
    );
  } catch {
    return undefined;
  }
};

/** @param {Finding} finding */
const textOf = ({ id, what, title, version }) => `${what} ${version}: ${title} (${id})`;

const check = async () => {
  const options = /** @type {const} */ ({ registry: { type: "string" }, list: { type: "string" } });
  const { values } = parseArgs({ options });
  const file = values.list ?? join(import.meta.dirname, "advisories.json");
  const list = /** @type {List} */ (JSON.parse(readFileSync(file, "utf8")));
  const asked = await findingsOfRegistry(values.registry);
  const known = `the list of ${list.updated} (${list.advisories.length} advisories)`;
  console.log(
    asked ? `Asked the registry, and compared with ${known}.` : `No registry answers: compared only with ${known}.`,
  );
  const reasons = new Map(list.advisories.map(({ id, accepted }) => [id, accepted]));
  const found = new Map([...(asked ?? []), ...findingsOfList(list)].map((finding) => [textOf(finding), finding]));
  let open = 0;
  for (const [text, { id }] of found) {
    const reason = reasons.get(id);
    if (!reason) open++;
    console.log(reason ? `Accepted: ${text}: ${reason}` : `Vulnerable: ${text}`);
  }
  if (found.size === 0) console.log("No package of the lockfile has a known vulnerability.");
  return open === 0 ? 0 : 1;
};

process.exitCode = await check().catch((/** @type {Error} */ error) => {
  console.error(error.message);
  return 1;
});
