import { createInterface } from "node:readline";
import type { Duplex } from "node:stream";

export interface Monitor {
  /** Sends a command and returns its result. Rejects with QEMU's reason, or when QEMU is gone. */
  ask(command: string, args?: object): Promise<unknown>;
  /** Reports whether QEMU has answered. Before that, it does not run the guest. */
  isOpen(): boolean;
}

interface Answer {
  readonly return?: unknown;
  readonly error?: { readonly desc: string };
  readonly event?: string;
  readonly data?: { readonly nospace?: boolean };
}

/** A machine may be killed while it writes a line: a guest can cause more events than are read. */
function answerIn(line: string): Answer {
  try {
    return JSON.parse(line) as Answer;
  } catch {
    return {};
  }
}

/** Speaks QMP (https://www.qemu.org/docs/master/interop/qmp-spec.html): responses arrive in order. */
export function openMonitor(socket: Duplex, onFull: () => void): Monitor {
  const waiting: { resolve: (value: unknown) => void; reject: (error: Error) => void }[] = [];
  let gone: Error | undefined;
  const lines = createInterface({ input: socket });
  lines.on("line", (line) => {
    const { return: value, error, event, data } = answerIn(line);
    if (event === "BLOCK_IO_ERROR" && data?.nospace) onFull();
    if (value === undefined && !error) return;
    const next = waiting.shift();
    if (error) next?.reject(new Error(error.desc));
    else next?.resolve(value);
  });
  const end = (error?: Error) => {
    gone ??= error ?? new Error("QEMU has ended");
    for (const one of waiting.splice(0)) one.reject(gone);
  };
  socket.on("error", end);
  // The interface re-emits the socket's errors.
  lines.on("error", () => undefined);
  socket.on("close", () => end());
  function ask(command: string, args?: object): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (gone) return reject(gone);
      waiting.push({ resolve, reject });
      socket.write(`${JSON.stringify({ execute: command, arguments: args })}\n`);
    });
  }
  // QEMU accepts no other command before this one.
  let isOpen = false;
  ask("qmp_capabilities").then(
    () => {
      isOpen = true;
    },
    () => undefined,
  );
  return { ask, isOpen: () => isOpen };
}

interface NodeStats {
  readonly "node-name": string;
  readonly stats: { readonly wr_highest_offset: number };
}

/** Returns where the last byte ended that was written to a node, or that did not fit. */
export async function triedToWrite(monitor: Monitor, node: string): Promise<number> {
  const all = (await monitor.ask("query-blockstats", { "query-nodes": true })) as readonly NodeStats[];
  return all.find((one) => one["node-name"] === node)?.stats.wr_highest_offset ?? 0;
}

/** Returns the local port that QEMU forwards to port 22. QEMU chose it, so it is free. */
export async function forwardedPort(monitor: Monitor): Promise<number> {
  const text = String(await monitor.ask("human-monitor-command", { "command-line": "info usernet" }));
  const port = /HOST_FORWARD\]\s+\d+\s+127\.0\.0\.1\s+(\d+)\s/.exec(text)?.[1];
  if (!port) throw new Error(`QEMU forwards no port: ${text}`);
  return Number(port);
}
