import type { Block } from "./blocks.js";
import { lineAfter } from "./folding.js";
import { isTimed, setTime } from "./line-time.js";
import { timesFrom } from "./source.js";

/** Gives lines that are on the page their times, from a block on up to the next line that has one. Reports whether it found any. */
export async function fillTimes(url: string, { element, from }: Block, signal: AbortSignal): Promise<boolean> {
  let line = element.firstElementChild;
  let found = false;
  for await (const times of timesFrom(url, from, signal)) {
    for (const time of times) {
      if (!line || (found && isTimed(line))) return found;
      if (!isTimed(line)) {
        setTime(line, time);
        found = true;
      }
      // Of the pieces of a line only the first one has a time.
      while (line?.classList.contains("piece")) {
        line = lineAfter(line);
        if (line) setTime(line, "");
      }
      line = line && lineAfter(line);
    }
    if (!line) break;
  }
  return found;
}
