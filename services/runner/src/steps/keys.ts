import { Fault } from "@ci/kit/rpc/fault";
import type { AssignedKey } from "@ci/proto/builds/v1/queue";
import type { PlacedFile } from "../driver.js";
import { isHostTrouble, reasonOf } from "../endings/errors.js";
import type { Placing } from "./objects.js";

const reserved = new Set([".", "..", "config", "known_hosts", "authorized_keys"]);

const isUsable = (name: string): boolean => /^[A-Za-z0-9._-]+$/.test(name) && !reserved.has(name);

/** Returns the names of the files that are placed for keys. */
export const keyFiles = (keys: readonly Pick<AssignedKey, "name">[]): string[] =>
  keys.length === 0 ? [] : [...keys.map(({ name }) => name).filter(isUsable), "config"];

/** Disables host checks, then adds the keys' own settings in order of their names. */
function sshConfig(keys: readonly AssignedKey[]): string {
  const byName = [...keys].sort((a, b) => (a.name < b.name ? -1 : 1));
  const own = byName.map(({ config }) => config).filter((config) => config !== "");
  return ["Host *", "  StrictHostKeyChecking no", "  UserKnownHostsFile /dev/null", ...own, ""].join("\n");
}

async function* textOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** Places a build's SSH keys and their configuration. Failures are printed and fail nothing. */
export async function placeKeys(keys: readonly AssignedKey[], { environment, say, signal }: Placing): Promise<void> {
  if (keys.length === 0) return;
  const put = async (name: string, text: string) => {
    const file: PlacedFile = {
      path: `${environment.sshFolder}/${name}`,
      mode: 0o600,
      folderMode: 0o700,
      content: textOf(text),
    };
    try {
      await environment.put(file, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (isHostTrouble(error)) throw error;
      say(`key error: ${name}: ${reasonOf(error)}`);
    }
  };
  for (const { name, privateKey } of keys) {
    if (isUsable(name)) await put(name, privateKey);
    else say(`key error: ${name}: ${reasonOf(new Fault("invalid", "not usable as the name of a file"))}`);
  }
  await put("config", sshConfig(keys));
}
