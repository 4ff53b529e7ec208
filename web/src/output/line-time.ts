const stamp = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) /;

/** Takes the times from a text with times. A line without one has "". `inLine` says that the text continues a line. */
export function withoutTimes(text: string, inLine: boolean): { text: string; times: string[] } {
  const times: string[] = [];
  const lines = text.split("\n");
  const plain = lines.map((line, nth) => {
    if ((nth === 0 && inLine) || (nth === lines.length - 1 && line === "")) return line;
    const time = stamp.exec(line)?.[1] ?? "";
    times.push(time);
    return time ? line.slice(time.length + 1) : line;
  });
  return { text: plain.join("\n"), times };
}

/** Keeps the times of lines until these are drawn. */
export function timeQueue() {
  const times = new Map<number, string>();
  let ended = 0;
  let drawn = 0;
  let inLine = false;
  return {
    /** Takes a text, with or without times, and returns it without. */
    take(given: string, timed: boolean): string {
      const { text, times: found } = timed ? withoutTimes(given, inLine) : { text: given, times: [] };
      for (const [nth, time] of found.entries()) times.set(ended + nth + (inLine ? 1 : 0), time);
      ended += text.split("\n").length - 1;
      if (text !== "") inLine = !text.endsWith("\n");
      return text;
    },
    /** Returns the time of the line that is drawn; undefined if it is not known. */
    current: () => times.get(drawn),
    /** Goes on to the next line. */
    next: () => void times.delete(drawn++),
    /** Forgets all. The next text begins a line or, with `isInLine`, continues the one that is drawn. */
    restart(isInLine: boolean): void {
      times.clear();
      ended = 0;
      drawn = 0;
      inLine = isInLine;
    },
  };
}

const twoDigits = (part: number): string => String(part).padStart(2, "0");

/** Shows when a line was printed. As generated content the time is neither found nor copied. */
export function setTime(line: Element, time: string): void {
  line.classList.add("timed");
  if (time === "") return;
  const date = new Date(time);
  const element = document.createElement("time");
  element.dateTime = time;
  element.title = time;
  element.dataset.clock = [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(":");
  const number = line.querySelector("a[data-line]");
  if (number) number.after(element);
  else line.prepend(element);
}

export const isTimed = (line: Element): boolean => line.classList.contains("timed");

/** Reports whether a block has lines without a time. */
export const lacksTimes = (block: Element): boolean => block.querySelector(":scope > :not(.timed)") !== null;
