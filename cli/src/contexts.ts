import { randomBytes } from "node:crypto";
import { chmod, mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { Failure, UsageError } from "./exit.js";
import type { Io } from "./io.js";

/** A server where the user has signed in. */
export interface Context {
  readonly server: string;
  /** Base of the URLs in the server's records. */
  readonly public_url: string;
  readonly username: string;
  readonly token: string;
}

export interface Contexts {
  readonly current?: string | undefined;
  readonly contexts: Readonly<Record<string, Context>>;
}

const folderOf = ({ env }: Pick<Io, "env">): string => {
  const base = env.XDG_CONFIG_HOME;
  return join(base?.startsWith("/") ? base : join(env.HOME || homedir(), ".config"), "service-ci");
};

/** Returns the file that holds the contexts, with their tokens. */
export const fileOf = (io: Pick<Io, "env">): string => join(folderOf(io), "contexts.json");

const isContext = (value: unknown): value is Context =>
  typeof value === "object" &&
  value !== null &&
  ["server", "public_url", "username", "token"].every((name) => typeof Reflect.get(value, name) === "string");

/** Returns the contexts of the user; none if there is no file. */
export async function readContexts(io: Pick<Io, "env">): Promise<Contexts> {
  const path = fileOf(io);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return { contexts: {} };
    throw new Failure(`Cannot read ${path}: ${(error as Error).message}`);
  }
  try {
    const { current, contexts } = JSON.parse(text) as Contexts;
    if (Object.values(contexts).every(isContext)) return { current, contexts };
  } catch {
    // Reported below.
  }
  throw new Failure(`${path} is damaged. Delete it, then sign in again with \`ci login\``);
}

/** Replaces the contexts atomically. Only the user can read the file. */
export async function writeContexts(io: Pick<Io, "env">, contexts: Contexts): Promise<void> {
  const folder = folderOf(io);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  const fresh = join(folder, `.contexts-${randomBytes(6).toString("hex")}`);
  try {
    const file = await open(fresh, "wx", 0o600);
    try {
      await file.writeFile(`${JSON.stringify(contexts, null, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(fresh, fileOf(io));
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
}

export function contextNamed({ contexts }: Contexts, name: string): Context {
  const context = Object.hasOwn(contexts, name) ? contexts[name] : undefined;
  if (context) return context;
  const names = Object.keys(contexts);
  const known = names.length > 0 ? `Known contexts: ${names.join(", ")}` : "`ci login` creates one";
  throw new UsageError(`There is no context "${name}". ${known}`);
}
