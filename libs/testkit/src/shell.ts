import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

export interface Shell extends AsyncDisposable {
  /** The folder where lines run, which is also the home. */
  readonly dir: string;
  /** Runs lines up to the first that fails, and returns what they print. */
  run(lines: string): Promise<string>;
}

export const hasCurl = (): boolean => spawnSync("curl", ["--version"], { stdio: "ignore" }).status === 0;

/** Returns a shell whose curl reaches the gateway at `origin` under its public URL. */
export async function shellAt(
  { url, origin }: { readonly url: string; readonly origin: string },
  env: Readonly<Record<string, string>>,
): Promise<Shell> {
  const dir = await mkdtemp(join(tmpdir(), "ci-shell-"));
  const { hostname, port } = new URL(url);
  const settings = [`connect-to = "${hostname}:${port || 80}:${new URL(origin).host}"`, "silent", "show-error"];
  await writeFile(join(dir, ".curlrc"), settings.join("\n"));
  return {
    dir,
    async run(lines) {
      const options = { cwd: dir, env: { PATH: process.env.PATH, HOME: dir, ...env } };
      return (await promisify(execFile)("sh", ["-e", "-c", lines], options)).stdout;
    },
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }),
  };
}
