import type { Fields } from "./format/cells.js";
import { printTable } from "./format/table.js";
import { visible } from "./format/visible.js";
import { type Io, note, print, printJson } from "./io.js";

export interface ListOptions {
  readonly columns: readonly string[];
  /** Returns the name of a record in commands. */
  readonly nameOf: (record: Fields) => string;
  readonly limit?: number | undefined;
  /** Only records in which a field is true are printed; the others are counted. */
  readonly only?: { readonly field: string; readonly others: (count: number) => string } | undefined;
}

/** Prints the records of a list, at most `limit`. Requests only the pages that it needs. */
export async function printList(io: Io, records: AsyncIterable<Fields>, options: ListOptions): Promise<void> {
  const { columns, nameOf, only, limit = Number.POSITIVE_INFINITY } = options;
  const found: Fields[] = [];
  let [more, others] = [false, 0];
  for await (const record of records) {
    if (only && !record[only.field]) {
      others++;
      continue;
    }
    more = found.length >= limit;
    if (more) break;
    found.push(record);
  }
  if (io.options.json) await printJson(io, found);
  else if (io.options.quiet) for (const record of found) await print(io, visible(nameOf(record)));
  else await printTable(io, found, columns);
  if (only && others > 0 && !more) note(io, only.others(others));
  if (more && io.stderr.isTTY) note(io, `Only the first ${limit} are shown. Raise --limit to see more`);
}
