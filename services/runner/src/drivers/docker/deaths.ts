import { createInterface } from "node:readline";
import type Docker from "dockerode";

/** Exit codes as the engine announces them. */
export interface Deaths extends Disposable {
  /** The exit code of a container. Never rejects; stays open when the announcements break off. */
  of(containerId: string): Promise<number>;
}

interface Death {
  readonly Actor: { readonly ID: string; readonly Attributes: Readonly<Record<string, string>> };
}

/**
 * Listens for the ends of containers with these labels. The engine announces an end before it takes the network and
 * the file system apart, and answers those who wait for the container afterwards: a fifth of a short job later.
 */
export async function watchDeaths(engine: Docker, labels: Readonly<Record<string, string>>): Promise<Deaths> {
  const label = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  const filters = { type: ["container"], event: ["die"], label };
  const stream = (await engine.getEvents({ filters: JSON.stringify(filters) as never })) as NodeJS.ReadableStream & {
    destroy(): void;
  };
  const codes = new Map<string, number>();
  const waiting = new Map<string, (code: number) => void>();
  stream.on("error", () => undefined);
  const lines = createInterface({ input: stream });
  // It passes the stream's error on, and would end this process: an engine that goes away broke the runner so.
  lines.on("error", () => undefined);
  lines.on("line", (line) => {
    const { ID, Attributes } = (JSON.parse(line) as Death).Actor;
    const code = Number(Attributes.exitCode);
    codes.set(ID, code);
    waiting.get(ID)?.(code);
  });
  return {
    of: (id) =>
      new Promise((resolve) => {
        const code = codes.get(id);
        if (code === undefined) waiting.set(id, resolve);
        else resolve(code);
      }),
    [Symbol.dispose]: () => stream.destroy(),
  };
}
