import type { Io, Sink } from "../io.js";

const codes = { red: 31, green: 32, yellow: 33, blue: 34, magenta: 35, cyan: 36, dim: 2, bold: 1 } as const;
export type Color = keyof typeof codes;

export const hasColors = ({ env }: Pick<Io, "env">, { isTTY }: Sink): boolean =>
  Boolean(isTTY) && !env.NO_COLOR && env.TERM !== "dumb";

/** Returns the text in a color, if standard output shows colors. */
export const paint = (io: Io, color: Color | undefined, text: string): string =>
  color && hasColors(io, io.stdout) ? `\u001b[${codes[color]}m${text}\u001b[0m` : text;

const statusColors: Readonly<Record<string, Color>> = {
  passed: "green",
  delivered: "green",
  passed_with_failures: "yellow",
  failed: "red",
  killed: "red",
  timed_out: "red",
  running: "blue",
  pending: "blue",
};

export const statusColor = (status: string): Color | undefined => statusColors[status];
