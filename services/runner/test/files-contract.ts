import { createHash } from "node:crypto";
import { posix } from "node:path";
import type { Found } from "../src/driver.js";
import { contentOf, inside, never, orderOf, ran, type Subject, textOf } from "./_subject.js";

/** Distinct lines of 100 bytes each. */
const fiftyThousandLines = 'BEGIN { while (i < 50000) printf "%099d\\n", i++ }';

/** Defines the tests of placed files and of jobs' files that every driver must pass. */
export function filesContract(subject: () => Subject): void {
  describe("put", () => {
    const put = { mode: 0o700, folderMode: undefined };

    test("places files for all jobs", () => {
      const script = `cat in/a/file ${subject().elsewhere}/b/file; stat -c %a in/a/file ${subject().elsewhere}/b/file`;
      return inside(subject(), [script, script], async ({ environment, order }) => {
        await environment.put({ ...put, path: "in/a/file", content: textOf("one\n") }, never);
        await environment.put({ ...put, path: `${subject().elsewhere}/b/file`, content: textOf("two\n") }, never);
        for (const job of order.jobs)
          expect(await ran(environment, job)).toEqual({ code: 0, text: "one\ntwo\n700\n700\n" });
      });
    });

    test("places empty and large files", () =>
      inside(subject(), ["wc -c < empty; wc -c < large; sha256sum < large"], async ({ environment, order }) => {
        const hash = createHash("sha256");
        async function* large() {
          for (let nth = 0; nth < 100; nth++) {
            const piece = Buffer.alloc(100_000, `piece ${nth} `);
            hash.update(piece);
            yield piece;
          }
        }
        await environment.put({ ...put, path: "empty", content: textOf("") }, never);
        await environment.put({ ...put, path: "large", content: large() }, never);
        const words = (await ran(environment, order.jobs[0]!)).text.split(/\s+/);
        expect(words).toEqual(["0", "10000000", hash.digest("hex"), "-", ""]);
      }));

    test("places SSH keys in a private folder", () => {
      const folder = subject().driver.environment(orderOf(subject(), [])).sshFolder;
      return inside(
        subject(),
        [`stat -c %a ${folder} ${folder}/id; cat ${folder}/id`],
        async ({ environment, order }) => {
          const path = `${environment.sshFolder}/id`;
          await environment.put({ path, mode: 0o600, folderMode: 0o700, content: textOf("key\n") }, never);
          expect((await ran(environment, order.jobs[0]!)).text).toBe("700\n600\nkey\n");
        },
      );
    });

    test("rejects a file that cannot be placed, with the reason", () =>
      inside(subject(), ["ls -A"], async ({ environment, order }) => {
        async function* broken() {
          yield Buffer.from("half");
          throw new Error("the source broke");
        }
        await expect(environment.put({ ...put, path: "x", content: broken() }, never)).rejects.toThrow(
          "the source broke",
        );
        await environment.put({ ...put, path: "folder/file", content: textOf("") }, never);
        await expect(environment.put({ ...put, path: "folder", content: textOf("") }, never)).rejects.toThrow();
        expect((await ran(environment, order.jobs[0]!)).text).toContain("folder\n");
      }));
  });

  describe("open", () => {
    test("reads files by relative and absolute paths, and follows links inside the environment", () =>
      inside(
        subject(),
        [
          `mkdir sub; printf one > sub/a; ln -s sub/a link; ln -s sub dir; ln -s link chain; mkdir -p ${posix.dirname(subject().elsewhere)}; printf two > ${subject().elsewhere}-file; pwd`,
        ],
        async ({ environment, order }) => {
          const { text } = await ran(environment, order.jobs[0]!);
          for (const path of ["sub/a", "./sub/../sub/a", "link", "dir/a", "chain", `${text.trim()}/sub/a`])
            expect(await contentOf(environment, path)).toBe("one");
          expect(await contentOf(environment, `${subject().elsewhere}-file`)).toBe("two");
        },
      ));

    test("reads empty and large files, and may be closed early", () =>
      inside(subject(), [`: > empty; awk '${fiftyThousandLines}' > large`], async ({ environment, order }) => {
        await ran(environment, order.jobs[0]!);
        expect(await contentOf(environment, "empty")).toBe("");
        const lines = Array.from({ length: 50_000 }, (_, nth) => `${String(nth).padStart(99, "0")}\n`);
        // A failing `expect` would print 5 MB.
        expect((await contentOf(environment, "large")) === lines.join("")).toBe(true);
        const unread = await environment.open("large", never);
        expect(unread.sizeBytes).toBe(5_000_000);
        await unread.close();
        const partlyRead = await environment.open("large", never);
        for await (const _ of partlyRead.content) break;
        await partlyRead.close();
      }));

    test.each([
      ["nothing", "none", "not found"],
      ["a folder", "folder", "not a regular file"],
      ["a pipe", "pipe", "not a regular file"],
      ["a link to a pipe", "to-pipe", "not a regular file"],
      ["a link to a folder", "to-folder", "not a regular file"],
      ["a link to nothing", "broken", "not found"],
      ["a path through a file", "file/x", "not found"],
    ])("refuses %s", (_what, path, message) =>
      inside(
        subject(),
        ["mkdir folder; mkfifo pipe; echo > file; ln -s pipe to-pipe; ln -s folder to-folder; ln -s none broken"],
        async ({ environment, order }) => {
          await ran(environment, order.jobs[0]!);
          await expect(environment.open(path, never)).rejects.toMatchObject({ name: "Fault", message });
        },
      ),
    );

    test("refuses a link to itself", () =>
      inside(subject(), ["ln -s loop loop"], async ({ environment, order }) => {
        await ran(environment, order.jobs[0]!);
        await expect(environment.open("loop", never)).rejects.toMatchObject({ name: "Fault" });
      }));
  });

  describe("list", () => {
    async function listed(files: AsyncIterable<Found>): Promise<string[]> {
      const all: string[] = [];
      for await (const { path, kind } of files) all.push(`${kind} ${path}`);
      return all.sort();
    }

    test("returns everything below a directory down to a depth", () =>
      inside(
        subject(),
        [
          "mkdir -p out/a/b; echo > out/a/b/c; echo > out/d; ln -s a out/l; mkfifo out/p; ln out/d out/e; ln -s out to-out",
        ],
        async ({ environment, order }) => {
          await ran(environment, order.jobs[0]!);
          const flat = ["directory a", "file d", "file e", "link l", "other p"];
          expect(await listed(environment.list("out", 1, never))).toEqual(flat);
          expect(await listed(environment.list("to-out", 1, never))).toEqual(flat);
          const deep = await listed(environment.list("out", Number.POSITIVE_INFINITY, never));
          expect(deep).toEqual([...flat, "directory a/b", "file a/b/c"].sort());
          expect(await listed(environment.list("", 2, never))).toContain("file out/d");
          expect(await listed(environment.list("out/d", 1, never))).toEqual([]);
          expect(await listed(environment.list("none", 1, never))).toEqual([]);
        },
      ));

    test("returns unusual names unchanged", () => {
      const names = [
        "-rf",
        "new\nline",
        'it\'s "so"',
        "../x".replaceAll("/", "\u2215"),
        "ünï",
        `l${"o".repeat(200)}ng`,
        "a*b",
      ];
      const make = names.map((name) => `printf x > './${name.replaceAll("'", `'\\''`)}'`).join("\n");
      return inside(subject(), [make], async ({ environment, order }) => {
        expect((await ran(environment, order.jobs[0]!)).code).toBe(0);
        expect(await listed(environment.list("", 1, never))).toEqual(names.map((name) => `file ${name}`).sort());
        for (const name of names) expect(await contentOf(environment, name)).toBe("x");
      });
    });
  });
}
