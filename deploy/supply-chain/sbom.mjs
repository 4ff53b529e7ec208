// `npm run sbom -- FILE`: writes a bill of materials (CycloneDX, JSON) of everything that an installation runs.
// Without FILE, it writes sbom.cdx.json. Needs no network once the packages are installed.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { install, pnpm } from "../local/provision/install.mjs";
import { repoRoot, run } from "../local/provision/machine.mjs";

const sbom = async () => {
  const file = resolve(process.argv[2] ?? join(repoRoot, "sbom.cdx.json"));
  await install();
  const format = ["--sbom-format", "cyclonedx", "--sbom-spec-version", "1.6", "--sbom-type", "application"];
  const args = ["--yes", pnpm, "sbom", ...format, "--prod", "--out", file];
  const { code, stderr } = await run("npx", args, { cwd: repoRoot });
  if (code !== 0) throw new Error(`npx ${args.join(" ")} failed: ${stderr.trim()}`);
  const { components } = JSON.parse(readFileSync(file, "utf8"));
  console.log(`${components.length} components: ${file}`);
};

await sbom().catch((/** @type {Error} */ error) => {
  console.error(error.message);
  process.exitCode = 1;
});
