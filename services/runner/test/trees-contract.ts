import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packTrees } from "../src/caches/pack.js";
import type { Environment } from "../src/driver.js";
import { never, orderOf, ran, type Subject } from "./_subject.js";

const cachePaths = ["kept", "~/.home/deep", "missing"];
const fill = [
  "rm -rf kept ~/.home/deep/* && mkdir -p kept/sub ~/.home/deep",
  "echo one > 'kept/a b' && printf x > 'kept/sub/-c' && chmod 750 'kept/sub/-c'",
  "ln -s 'a b' kept/link && ln 'kept/a b' kept/hard && ln -s /etc/passwd kept/out && mkfifo kept/pipe",
  "echo two > ~/.home/deep/file && head -c 3000000 /dev/zero > kept/zeros",
];

/** Defines the tests of what drivers do for caches. */
export function treesContract(subject: () => Subject): void {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "trees-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function packed({ trees }: Environment) {
    const { layout } = trees;
    const options = { layout, wanted: cachePaths.map(trees.nameOf), limitBytes: 1e9, signal: never };
    return packTrees(trees.read(cachePaths, never), join(folder, "archive"), options);
  }

  /** Runs jobs in an environment between `before` and `after`. Returns what each of them printed. */
  async function run(
    scripts: readonly string[],
    { before, after }: Partial<Record<"before" | "after", (environment: Environment) => Promise<void>>>,
  ): Promise<string[]> {
    const order = orderOf(subject(), scripts, { cachePaths });
    const { shared, driver } = subject();
    await using own = shared ? undefined : driver.environment(order);
    await own?.prepare(() => undefined, never);
    const environment = own ?? (await shared!()).environment;
    await before?.(environment);
    const texts: string[] = [];
    for (const job of order.jobs) texts.push((await ran(environment, job)).text);
    await after?.(environment);
    return texts;
  }

  test("what jobs left in folders is there for all jobs of another build", async () => {
    let size = 0;
    const after = async (environment: Environment) => {
      const { sizeBytes, skipped } = await packed(environment);
      size = sizeBytes;
      expect(Object.fromEntries(skipped)).toEqual({ "links that lead out of the workspace": 1, "special files": 1 });
    };
    expect(await run(fill, { after })).toEqual(["", "", "", ""]);
    const show = [
      "cat kept/link kept/hard ~/.home/deep/file; ls -A kept",
      "cat ~/.home/deep/file; stat -c %a kept/sub/-c; wc -c < kept/zeros",
    ];
    const file = await open(join(folder, "archive"), "r");
    const texts = await run(show, { before: ({ trees }) => trees.place(file, size, never) });
    await file.close();
    // An environment that is shared by tests still has what was left out.
    expect(texts[0]).toMatch(/^one\none\ntwo\na b\nhard\nlink\n(out\npipe\n)?sub\nzeros\n$/);
    expect(texts[1]!.replaceAll(" ", "")).toBe("two\n750\n3000000\n");
  });

  test("an archive that is damaged is refused", async () => {
    await packTrees((async function* () {})(), join(folder, "archive"), {
      ...{ layout: { roots: [""], isAbsolute: false }, wanted: [], limitBytes: 1e9, signal: never },
    });
    const damaged = await open(join(folder, "archive"), "r+");
    await damaged.write("damaged".repeat(100));
    await damaged.close();
    const file = await open(join(folder, "archive"), "r");
    await run([], {
      before: ({ trees }) =>
        expect(trees.place(file, 1_024, never)).rejects.toMatchObject({ code: "precondition" }) as Promise<void>,
    });
    await file.close();
  });
}
