import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import type { Assignment } from "@ci/proto/builds/v1/queue";
import { keyOf } from "../src/caches/key.js";
import { packTrees } from "../src/caches/pack.js";
import type { Environment } from "../src/driver.js";
import { placedNames } from "../src/steps/placed.js";
import { never, orderOf, ran, type Subject, textOf } from "./_subject.js";

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

  async function packed({ trees, ...environment }: Environment, objects: Assignment["objects"] = []) {
    const wanted = cachePaths.map(trees.nameOf);
    const placed = placedNames({ objects, keys: [] }, { ...environment, trees });
    const options = { layout: trees.layout, wanted, placed, limitBytes: 1e9, signal: never };
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

  test("files that a build places are there for all jobs and in no archive", async () => {
    const namesIn = ({ sshFolder }: Environment) => {
      const inHome = posix.join(posix.dirname(sshFolder), ".home/deep/given");
      return ["./kept//given", inHome, "~/.home/deep/own", "elsewhere"];
    };
    const before = async (environment: Environment) => {
      for (const path of namesIn(environment))
        await environment.put({ path, mode: 0o600, content: textOf("placed\n") }, never);
    };
    const after = async (environment: Environment) => {
      const objects = namesIn(environment).map((name, id) => ({ id, source: "given", name, objectId: id }));
      const { skipped } = await packed(environment, objects);
      expect(skipped.get("files that the build places")).toBe(2);
    };
    const change =
      "cat kept/given ~/.home/deep/given; for name in given own; do echo changed > ~/.home/deep/$name; done";
    const show = "cat ~/.home/deep/given";
    expect(await run([change, show, show], { before, after })).toEqual(["placed\nplaced\n", "changed\n", "changed\n"]);
  });

  test("a cache's key depends on the files below the home folder that its globs match", async () => {
    const keys: string[] = [];
    const addKey = async (environment: Environment) =>
      void keys.push(
        (await keyOf({ name: "c", key: ["~/.home/l*k"], paths: [] }, [], { environment, signal: never })).key,
      );
    const write = (text: string) => [`mkdir -p ~/.home && echo ${text} > ~/.home/lock`];
    await run(write("one"), { after: addKey });
    await run(write("two"), { after: addKey });
    await run(write("one"), { after: addKey });
    expect(keys).toEqual([keys[0], expect.not.stringMatching(keys[0]!), keys[0]]);
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
