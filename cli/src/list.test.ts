import { ioOf } from "../test/_io.js";
import type { Fields } from "./format/cells.js";
import { printList } from "./list.js";

async function* of(records: readonly Fields[]): AsyncGenerator<Fields> {
  yield* records;
}

const only = { field: "active", others: (count: number) => `${count} more` };

async function shown(records: readonly Fields[], limit?: number): Promise<string> {
  const io = ioOf({ tty: true, env: { NO_COLOR: "1" } });
  await printList({ ...io, stderr: io.stdout }, of(records), { columns: ["id"], nameOf: () => "", only, limit });
  return io.stdout.text;
}

test("the records that are not shown are counted after the list, unless a limit ended it", async () => {
  const [here, gone] = [
    { id: 1, active: true },
    { id: 2, active: false },
  ];
  expect(await shown([gone, here])).toBe("ID\n1\n1 more\n");
  expect(await shown([gone])).toBe("Nothing found\n1 more\n");
  expect(await shown([gone, here, here], 1)).toBe("ID\n1\nOnly the first 1 are shown. Raise --limit to see more\n");
});
