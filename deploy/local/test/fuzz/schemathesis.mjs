// Installs Schemathesis, which tests an API against its description, into a separate Python environment with pinned versions.
import { existsSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  cacheDir,
  installPackages,
  lastLine,
  mayInstallPackages,
  onPath,
  run,
  withLock,
} from "../../provision/machine.mjs";

const requirements = join(dirname(fileURLToPath(import.meta.url)), "requirements.txt");
const needed = "Python 3.10 or later with its modules venv and pip (Debian: python3 python3-venv) is needed";

/**
 * Returns the path of Schemathesis, installed into the cache if necessary.
 * @returns {Promise<string>}
 * @throws {Error} with one sentence on what to do
 */
export const findSchemathesis = () =>
  withLock("schemathesis", async () => {
    const [, version] = /^schemathesis==(.+)$/m.exec(readFileSync(requirements, "utf8")) ?? [];
    const dir = join(cacheDir, `schemathesis-${version}`);
    const program = join(dir, "bin", "schemathesis");
    if (existsSync(program) && (await run(program, ["--version"])).code === 0) return program;
    console.log(`Installing Schemathesis ${version} ...`);
    rmSync(dir, { recursive: true, force: true });
    await makeFolder(dir);
    const options = ["-q", "--disable-pip-version-check", "--only-binary=:all:", "-r", requirements];
    const { code, stderr } = await run(join(dir, "bin", "python"), ["-m", "pip", "install", ...options]);
    if (code !== 0) throw new Error(`Schemathesis ${version} could not be installed (${lastLine(stderr)}): ${needed}.`);
    return program;
  });

/** @param {string} dir */
const makeFolder = async (dir) => {
  const make = async () => {
    const python = onPath("python3");
    return python
      ? run(python, ["-m", "venv", "--clear", dir])
      : { code: -1, stdout: "", stderr: "python3 is not installed" };
  };
  let made = await make();
  if (made.code !== 0 && mayInstallPackages()) {
    await installPackages(["python3-venv"]);
    made = await make();
  }
  // venv may write its advice to either stream.
  if (made.code !== 0) throw new Error(`No usable python3 (${lastLine(made.stderr || made.stdout)}): ${needed}.`);
};
