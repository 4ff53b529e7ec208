import { execFile, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { thisTree } from "@ci/testkit/processes";

const sources = join(__dirname, "clients");
const cache = join(thisTree, ".cache");

/** Runs a program and returns its output. */
export async function run(program: string, args: readonly string[], cwd: string): Promise<string> {
  const env = {
    ...process.env,
    PYTHONDONTWRITEBYTECODE: "1",
    PATH: `${join(program, "..")}${delimiter}${process.env.PATH}`,
  };
  const { stdout } = await promisify(execFile)(program, args, { cwd, env, maxBuffer: 64 * 1024 ** 2 });
  return stdout;
}

/** Installs a list of pinned packages into a folder of the cache, unless it exists, and returns the folder. */
async function installed(list: string, install: (dir: string) => Promise<unknown>): Promise<string> {
  const hash = createHash("sha256")
    .update(readFileSync(join(sources, list)))
    .digest("hex")
    .slice(0, 16);
  const dir = join(cache, `clients-${list.split(".")[0]}-${hash}`);
  const done = join(dir, "installed");
  if (existsSync(done)) return dir;
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  await install(dir);
  copyFileSync(join(sources, list), done);
  return dir;
}

/** Installs openapi-typescript and its client and returns the folder. */
export const installTypeScript = (): Promise<string> =>
  installed("package.json", async (dir) => {
    copyFileSync(join(sources, "package.json"), join(dir, "package.json"));
    await run("npm", ["install", "--no-audit", "--no-fund", "--no-package-lock"], dir);
  });

/** Installs openapi-python-client into a virtual environment and returns the folder of its programs. */
export const installPython = async (): Promise<string> => {
  const dir = await installed("requirements.txt", async (dir) => {
    await run("python3", ["-m", "venv", "--clear", "."], dir);
    const list = join(sources, "requirements.txt");
    const options = ["-q", "--disable-pip-version-check", "--only-binary=:all:", "-r", list];
    await run(join(dir, "bin/python"), ["-m", "pip", "install", ...options], dir);
  });
  return join(dir, "bin");
};

/** Reports whether this machine has a Python with virtual environments. */
export const hasPython = (): boolean =>
  spawnSync("python3", ["-c", "import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 10))"]).status === 0;
