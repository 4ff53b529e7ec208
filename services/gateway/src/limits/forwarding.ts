import { fixedLimit } from "@ci/kit/process/fixed-limit";

const smallBytes = 64 * 1024;
/** A request that carries a body takes about as much again. */
const maxBytes = fixedLimit({
  max: 16 * 1024 ** 2,
  unit: "bytes",
  about: "hook bodies of more than 64 KiB that a gateway passes on at a time",
  effect: "further ones wait",
});
const maxBytesOfAddress = fixedLimit({
  max: 8 * 1024 ** 2,
  unit: "bytes",
  about: "hook bodies of more than 64 KiB from one address that a gateway passes on at a time, or a single larger one",
  effect: "further ones wait",
});

interface Waiting {
  readonly bytes: number;
  readonly begin: () => void;
}

interface Line {
  bytes: number;
  readonly waiting: Set<Waiting>;
}

/** Runs work with a body of an address once there is room for it. `signal` ends the wait. */
export type Forwarding = <T>(address: string, bytes: number, signal: AbortSignal, work: () => Promise<T>) => Promise<T>;

/** Bounds the bodies that are passed on: all together, and those of each address, which hold up none of others. */
export function forwarding(limits = { maxBytes, maxBytesOfAddress }): Forwarding {
  const lines = new Map<string, Line>();
  let allBytes = 0;

  const fits = (line: Line, bytes: number) =>
    (line.bytes === 0 || line.bytes + bytes <= limits.maxBytesOfAddress) &&
    (allBytes === 0 || allBytes + bytes <= limits.maxBytes);

  function beginNext(): void {
    for (const [address, line] of [...lines]) {
      const [next] = line.waiting;
      if (!next || !fits(line, next.bytes)) continue;
      // Other addresses come first now.
      lines.delete(address);
      lines.set(address, line);
      next.begin();
    }
  }

  const turn = (line: Line, bytes: number, signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const leave = () => {
        line.waiting.delete(waiting);
        signal.removeEventListener("abort", give);
      };
      const begin = () => {
        leave();
        line.bytes += bytes;
        allBytes += bytes;
        resolve();
      };
      const give = () => {
        leave();
        reject(signal.reason);
        beginNext();
      };
      const waiting = { bytes, begin };
      if (signal.aborted) return give();
      signal.addEventListener("abort", give);
      line.waiting.add(waiting);
      beginNext();
    });

  return async (address, bytes, signal, work) => {
    if (bytes <= smallBytes) return work();
    const line = lines.get(address) ?? { bytes: 0, waiting: new Set() };
    lines.set(address, line);
    const forget = () => {
      if (line.bytes === 0 && line.waiting.size === 0 && lines.get(address) === line) lines.delete(address);
    };
    await turn(line, bytes, signal).finally(forget);
    try {
      return await work();
    } finally {
      line.bytes -= bytes;
      allBytes -= bytes;
      forget();
      beginNext();
    }
  };
}
