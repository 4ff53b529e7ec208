import { type FileHandle, open, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { sizeText } from "@ci/kit/bytes/size-text";
import { Fault } from "@ci/kit/rpc/fault";
import { runImg } from "@ci/qcow2/qemu-img";
import type { Inspection, OpenedFile } from "../../driver.js";
import { raceAbort } from "../../endings/ended.js";
import type { Guest } from "./guest.js";
import { isForAll, namesNoFile } from "./inspect.js";
import { runCommand } from "./ssh.js";

export interface InspectionOptions {
  readonly name: string;
  readonly keepLimitMs: number;
  readonly path: string;
}

type InGuest = <T>(signal: AbortSignal, work: (guest: Guest) => Promise<T>) => Promise<T>;

/** Keeps the machine of a failed build. `inGuest` ends it when a signal aborts. */
export const inspectionOf = (guest: () => Guest, inGuest: InGuest, options: InspectionOptions): Inspection => ({
  stay: (ms, say, signal, draining) =>
    inGuest(signal, async (here) => {
      await stay(here, Math.min(ms, options.keepLimitMs), { name: options.name, say, signal, draining });
      await shutDown(here, say, signal);
    }),
  disk: (maxBytes, signal) => disk(guest(), { maxBytes, path: options.path, signal }),
});

interface Staying {
  readonly name: string;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
  readonly draining: AbortSignal;
}

const stopsLine = "The runner stops, so the virtual machine is shut down.";

/** Writes the private key only now: nobody else needed it before. */
async function stay({ machine, folder, login }: Guest, forMs: number, on: Staying): Promise<void> {
  const { name, say, signal, draining } = on;
  if (draining.aborted) return say(stopsLine);
  const key = join(folder, "key");
  await writeFile(key, login.privateKey, { mode: 0o600 });
  const until = new Date(Date.now() + forMs).toISOString();
  say(
    `The virtual machine stays as it is until ${until}, or until the build is killed, the machine powered off or the runner stopped.`,
  );
  say(`On the host of the runner ${name}: ssh -i ${key} -p ${login.port} root@127.0.0.1`);
  const over = new AbortController();
  const early = AbortSignal.any([over.signal, draining]);
  const time = delay(forMs, undefined, { signal: early }).catch(() => undefined);
  try {
    await raceAbort(signal, Promise.race([time, machine.ended]));
  } finally {
    over.abort();
  }
  if (draining.aborted) say(stopsLine);
}

const syncTimeoutMs = 60_000;
const quitTimeoutMs = 10_000;

async function shutDown({ machine, client }: Guest, say: Staying["say"], signal: AbortSignal): Promise<void> {
  const within = (ms: number) => AbortSignal.any([signal, AbortSignal.timeout(ms)]);
  let ended = false;
  const gone = machine.ended.then(() => {
    ended = true;
  });
  await raceAbort(within(syncTimeoutMs), runCommand(client, "sync", "")).catch(() => {
    signal.throwIfAborted();
    if (!ended) say("The virtual machine does not write its files to its disk: what is missing there is lost");
  });
  const quit = async () => {
    await machine.monitor.ask("stop");
    await machine.monitor.ask("quit");
  };
  // It does not respond if it is already gone.
  quit().catch(() => undefined);
  await raceAbort(within(quitTimeoutMs), gone).catch(() => signal.throwIfAborted());
  await machine.end();
}

interface Flattening {
  readonly maxBytes: number;
  readonly path: string;
  readonly signal: AbortSignal;
}

async function disk(guest: Guest, on: Flattening): Promise<OpenedFile> {
  const path = join(guest.folder, "machine.qcow2");
  const made = await stat(path).catch(() => undefined);
  if (!made) await flatten(guest, path, on);
  const { size: sizeBytes } = made ?? (await stat(path));
  const content = (await open(path)).createReadStream();
  return { sizeBytes, content, close: async () => void content.destroy() };
}

const memoryBytes = 4 * 1024 ** 3;
/** Far more than converting a build's disk takes. */
const cpuSeconds = 3_600;

const opened = (fd: number, more: object) => ({
  driver: "qcow2",
  file: { driver: "file", filename: `/dev/fd/${fd}` },
  ...more,
});

/** Merges image and overlay. The overlay is checked like an image, because a stranger's guest wrote it. */
async function flatten({ folder, image, user }: Guest, to: string, on: Flattening): Promise<void> {
  const { maxBytes, path, signal } = on;
  const part = `${to}.part`;
  const overlay = await open(join(folder, "overlay"), "r");
  let file: FileHandle | undefined;
  try {
    await namesNoFile(overlay);
    file = await open(part, "w+", 0o600);
    const nobodyElse = (await isForAll(image.file)) ? user : undefined;
    if (nobodyElse) for (const one of [overlay, file]) await one.chown(nobodyElse.uid, nobodyElse.gid);
    const source = opened(3, { backing: opened(4, { "read-only": true, backing: null }) });
    const end = await runImg({
      arguments: ["convert", "-c", "-O", "qcow2", `json:${JSON.stringify(source)}`, "/dev/fd/5"],
      files: [overlay.fd, image.file.fd, file.fd],
      user: nobodyElse,
      path,
      limits: { cpuSeconds, memoryBytes, fileBytes: maxBytes },
      signal,
    });
    if (end.tooLarge) throw new Fault("precondition", `larger than ${sizeText(maxBytes)}`);
    if (end.code !== 0) throw new Error(`qemu-img: ${end.complaint}`);
    await rename(part, to);
  } finally {
    await overlay.close();
    await file?.close();
    await rm(part, { force: true });
  }
}
