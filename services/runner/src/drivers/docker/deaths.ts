import { createInterface } from "node:readline";
import type Docker from "dockerode";
import type { LocalImage } from "./local-image.js";

/** The engine writes the labels of a container, and so those of its image, over the attributes of an event. */
const codeAttribute = "exitCode";

/** Reports whether the events of an image's containers say how they ended. */
export const saysExit = ({ labels }: LocalImage): boolean => !(codeAttribute in labels);

export interface Deaths extends Disposable {
  /** Never rejects; stays pending if the stream of events breaks, or an event says no number. */
  of(containerId: string): Promise<number>;
}

interface Death {
  readonly Actor: { readonly ID: string; readonly Attributes: Readonly<Record<string, string>> };
}

/**
 * Watches exits of containers with these labels. The engine announces an exit before it tears down network and file
 * system, and answers `wait` only afterwards: a fifth of a short job later.
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
  // An unhandled error of the stream once ended the runner's process.
  lines.on("error", () => undefined);
  lines.on("line", (line) => {
    const { ID, Attributes } = (JSON.parse(line) as Death).Actor;
    const text = Attributes[codeAttribute] ?? "";
    if (!/^\d{1,3}$/.test(text)) return;
    const code = Number(text);
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
