import { size } from "./format/units.js";
import { visible } from "./format/visible.js";
import { type Io, showsProgress } from "./io.js";

const everyMs = 100;

export interface Progress {
  update(bytes: number): void;
  clear(): void;
}

/** Shows the progress of a transfer on a terminal. Without a total it shows only the bytes. */
export function progressOf(io: Io, name: string, totalBytes?: number): Progress {
  let next = 0;
  const clear = () => {
    if (next > 0) io.stderr.write("\r\u001b[K");
  };
  return {
    clear,
    update(bytes) {
      const now = Date.now();
      if (!showsProgress(io) || now < next) return;
      next = now + everyMs;
      const share = totalBytes ? `${Math.floor((100 * bytes) / totalBytes)} %  ` : "";
      const total = totalBytes === undefined ? "" : ` of ${size(totalBytes)}`;
      io.stderr.write(`\r\u001b[K${visible(name)}  ${share}${size(bytes)}${total}`);
    },
  };
}
