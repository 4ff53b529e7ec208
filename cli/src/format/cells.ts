import { conditionsOf } from "@service-ci/client";
import type { Io } from "../io.js";
import { type Color, statusColor } from "./paint.js";
import { briefDuration, elapsed, relative, size } from "./units.js";

export type Fields = Readonly<Record<string, unknown>>;

export interface Cell {
  readonly text: string;
  readonly color?: Color | undefined;
}

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null;

/** Returns the name of a build that commands accept. */
export const buildName = (build: { user: { username: string }; number: number }): string =>
  `${build.user.username}/${build.number}`;

/** Returns the text of a value: of a related record the name that commands accept, of a delivery what it made, or why not. */
export function plain(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(plain).join(", ");
  if (!isFields(value)) return typeof value === "boolean" ? (value ? "yes" : "no") : String(value);
  if (isFields(value.user) && typeof value.number === "number") return `${value.user.username}/${value.number}`;
  if (isFields(value.user) && typeof value.path === "string") return `${value.path}@${value.user.username}`;
  if (Array.isArray(value.builds) && Array.isArray(value.reasons))
    return plain([...value.builds, ...value.reasons]) || plain(value.status);
  const name = value.username ?? value.name;
  return typeof name === "string" ? name : JSON.stringify(value);
}

/** Columns that are computed from the whole record. */
const made: Readonly<Record<string, (record: Fields) => string>> = {
  build: (record) => plain(record.user ? record : record.build),
  time: ({ started_at, finished_at }) => elapsed(started_at as string | null, finished_at as string | null),
  by_user: ({ redelivery }) => plain(redelivery),
  filter: ({ filter }) => conditionsOf((filter ?? {}) as Parameters<typeof conditionsOf>[0]).join(", "),
  comment: ({ trigger }) => (trigger as { comment?: string } | undefined)?.comment ?? "",
};

/** Returns a cell of a table. On a terminal, times are relative, and sizes and durations have units. */
export function cellOf({ stdout }: Pick<Io, "stdout">, record: Fields, column: string): Cell {
  const value = record[column];
  const make = made[column];
  if (make) return { text: make(record) };
  if (stdout.isTTY && typeof value === "string" && /_(at|run)$/.test(column)) return { text: relative(value) };
  if (stdout.isTTY && typeof value === "number" && /size$/.test(column)) return { text: size(value) };
  if (stdout.isTTY && typeof value === "number" && column === "duration") return { text: briefDuration(value / 1e9) };
  const text = plain(value);
  return { text, color: column === "status" ? statusColor(text) : undefined };
}
