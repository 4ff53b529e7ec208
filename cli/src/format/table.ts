import { type Io, print, write } from "../io.js";
import { type Cell, cellOf, type Fields, plain } from "./cells.js";
import { paint } from "./paint.js";
import { visible } from "./visible.js";
import { cut, widthOf } from "./width.js";

const gap = "  ";
const minWidth = 8;
const defaultColumns = 80;

/** Returns the widths of columns. If they do not fit on the terminal, the widest one shrinks. */
function widthsOf(rows: readonly (readonly Cell[])[], available: number): number[] {
  const widths = rows[0]!.map((_, at) =>
    Math.max(...rows.map((row) => Math.min(available, widthOf(row[at]!.text, available)))),
  );
  const room = available - gap.length * (widths.length - 1);
  for (let excess = widths.reduce((sum, width) => sum + width, 0) - room; excess > 0; ) {
    const widest = widths.indexOf(Math.max(...widths));
    const width = Math.max(minWidth, widths[widest]! - excess);
    if (width === widths[widest]) break;
    excess -= widths[widest]! - width;
    widths[widest] = width;
  }
  return widths;
}

/** Prints records as a table on a terminal, elsewhere as tab-separated rows. */
export async function printTable(io: Io, records: readonly Fields[], columns: readonly string[]): Promise<void> {
  const rows = records.map((record) =>
    columns.map((column) => {
      const { text, color } = cellOf(io, record, column);
      return { text: visible(text), color };
    }),
  );
  if (!io.stdout.isTTY) {
    for (const row of rows) await print(io, row.map(({ text }) => text).join("\t"));
    return;
  }
  if (rows.length === 0) return print(io, "Nothing found");
  const heading = columns.map((column) => ({ text: column.replaceAll("_", " ").toUpperCase(), color: "dim" as const }));
  const table: (readonly Cell[])[] = [heading, ...rows];
  const widths = widthsOf(table, io.stdout.columns || defaultColumns);
  for (const row of table) {
    const cells = row.map(({ text, color }, at) => {
      const fitting = cut(text, widths[at]!);
      const padding = at === row.length - 1 ? "" : " ".repeat(widths[at]! - widthOf(fitting));
      return paint(io, color, fitting) + padding;
    });
    await write(io, `${cells.join(gap).trimEnd()}\n`);
  }
}

/** Prints names and values, one pair per line. Omits empty values. */
export async function printFields(io: Io, fields: readonly (readonly [string, Cell | string])[]): Promise<void> {
  const given = fields
    .map(([name, value]) => [name, typeof value === "string" ? { text: value } : value] as const)
    .filter(([, { text }]) => text !== "");
  const width = Math.max(0, ...given.map(([name]) => name.length));
  for (const [name, { text, color }] of given)
    for (const [at, line] of text.trimEnd().split("\n").entries())
      await print(io, `${(at === 0 ? name : "").padEnd(width)}${gap}${paint(io, color, visible(line))}`);
}

/** URLs of collections, which commands do not need. */
const collection =
  /^(artifacts|builds|collaborators|images|invites|jobs|keys|namespaces|objects|output|tags|variables|webhooks)_url$/;

/** Fields that are lists of records, with the columns of their tables. */
const tables: Readonly<Record<string, readonly string[]>> = {
  attempts: ["number", "created_at", "code", "duration", "error", "by_user"],
};

/** Prints a record, one field per line, then its lists of records as tables. Shows related records instead of their ids. */
export async function printRecord(io: Io, record: Fields): Promise<void> {
  const names = Object.keys(record).filter((name) => !name.endsWith("_id") && !collection.test(name));
  await printFields(
    io,
    names
      .filter((name) => !Object.hasOwn(tables, name))
      .map((name) => [name, record[name] === null ? "" : { ...cellOfField(io, record, name) }]),
  );
  for (const [name, columns] of Object.entries(tables)) {
    const { [name]: records } = record;
    if (!Array.isArray(records) || records.length === 0) continue;
    await print(io, `\n${paint(io, "bold", `${name[0]!.toUpperCase()}${name.slice(1)}`)}`);
    await printTable(io, records, columns);
  }
}

/** Lists of sentences and addresses, which have a line for each. */
const long = new Set(["reasons", "builds"]);

const linesOf = (value: unknown): string => (Array.isArray(value) ? value.map(plain).join("\n") : plain(value));

const cellOfField = (io: Io, record: Fields, name: string): Cell =>
  long.has(name)
    ? { text: linesOf(record[name]) }
    : name === "build" || name === "time" || name === "comment"
      ? { text: plain(record[name]) }
      : cellOf(io, record, name);
