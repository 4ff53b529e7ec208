import { posix } from "node:path";
import { eventually } from "@ci/testkit/eventually";
import type { Found } from "../src/driver.js";
import { Ended } from "../src/ended.js";
import { contentOf, deferred, never, orderOf, printed, ran, type Subject, textOf } from "./_subject.js";

/** What every driver has to do. `open` is called once. */
export function driverContract(open: () => Promise<Subject>): void {
  let subject: Subject;
  beforeAll(async () => {
    subject = await open();
  });

  /** Prepares an environment, works in it, removes it, and looks whether anything is left. */
  async function inside(
    scripts: readonly string[],
    work: (at: {
      environment: ReturnType<Subject["driver"]["environment"]>;
      order: ReturnType<typeof orderOf>;
    }) => Promise<void>,
    more: Parameters<typeof orderOf>[2] = {},
  ): Promise<void> {
    const order = orderOf(subject, scripts, more);
    {
      await using environment = subject.driver.environment(order);
      await environment.prepare(() => undefined, never);
      await work({ environment, order });
    }
    expect(await subject.traces(order.mark.buildId)).toEqual([]);
    expect(await subject.processes(order.mark.buildId)).toBe(0);
  }

  test("is ready", async () => {
    expect(await subject.driver.ready()).toBe(true);
  });

  describe("run", () => {
    test("hands over what the script prints, and its exit code", () =>
      inside(["echo out; echo err >&2; exit 3"], async ({ environment, order }) => {
        expect(await ran(environment, order.jobs[0]!)).toEqual({ code: 3, text: "out\nerr\n" });
      }));

    test("keeps the working directory between jobs, but not the shell", () =>
      inside(
        ["mkdir sub; echo kept > sub/file; cd sub; X=1", 'cat sub/file; echo "X=$X"'],
        async ({ environment, order }) => {
          expect(await ran(environment, order.jobs[0]!)).toEqual({ code: 0, text: "" });
          expect(await ran(environment, order.jobs[1]!)).toEqual({ code: 0, text: "kept\nX=\n" });
        },
      ));

    test("gives the script the variables of the build, and none of the runner", async () => {
      process.env.RUNNER_SECRET_OF_TEST = "leaked";
      const value = "a 'b' \"c\" $d\nline two";
      const text = await printed(subject, 'printf %s "$GIVEN"; echo; env', { variables: [{ key: "GIVEN", value }] });
      delete process.env.RUNNER_SECRET_OF_TEST;
      expect(text.startsWith(`${value}\n`)).toBe(true);
      expect(text).not.toContain("leaked");
      expect(text).toMatch(/^PATH=/m);
      expect(text).toMatch(/^HOME=/m);
    });

    test("starts the script by an absolute path outside of the working directory", async () => {
      const [script, folder, ...files] = (await printed(subject, 'echo "$0"; pwd; ls -A')).trim().split("\n");
      expect(script).toMatch(/^\//);
      expect(script!.startsWith(`${folder}/`)).toBe(false);
      expect(files).toEqual([]);
    });

    test("has no input to wait for", async () => {
      expect(await printed(subject, "cat; echo done")).toBe("done\n");
    });

    test("lets the script open its own output", async () => {
      expect(
        await printed(subject, "echo one > /dev/stdout; echo two > /dev/stderr; echo three | tee /dev/stderr"),
      ).toBe("one\ntwo\nthree\nthree\n");
    });

    test("hands over output while the job runs", () =>
      inside(["echo first; while ! [ -e /nowhere ]; do sleep 1; done"], async ({ environment, order }) => {
        const stop = new AbortController();
        const hear = async (bytes: Uint8Array) => {
          if (Buffer.from(bytes).toString().includes("first")) stop.abort(new Ended("killed"));
        };
        await expect(environment.run(order.jobs[0]!, hear, stop.signal)).rejects.toMatchObject({ ending: "killed" });
      }));

    test("loses nothing of much output, however slowly it is taken", () =>
      inside(
        ["i=0; while [ $i -lt 30000 ]; do echo line $i of a job that talks a lot; i=$((i+1)); done"],
        async ({ environment, order }) => {
          const hash: Buffer[] = [];
          let pauses = 0;
          const slow = async (bytes: Uint8Array) => {
            hash.push(Buffer.from(bytes));
            if (pauses++ < 20) await new Promise((resolve) => setTimeout(resolve, 5));
          };
          expect(await environment.run(order.jobs[0]!, slow, never)).toBe(0);
          const lines = Buffer.concat(hash).toString().trimEnd().split("\n");
          expect(lines.length).toBe(30_000);
          expect(lines.every((line, at) => line === `line ${at} of a job that talks a lot`)).toBe(true);
        },
      ));

    test("stops when nobody can hear", () =>
      inside(["while :; do echo again; done"], async ({ environment, order }) => {
        const deaf = () => Promise.reject(new Error("deaf"));
        await expect(environment.run(order.jobs[0]!, deaf, never)).rejects.toThrow("deaf");
        expect(await subject.processes(order.mark.buildId)).toBe(0);
      }));

    test("ends with its script: what runs in the background ends too", () =>
      inside(["(sleep 1000)& (sleep 1001)& echo started"], async ({ environment, order }) => {
        expect(await ran(environment, order.jobs[0]!)).toEqual({ code: 0, text: "started\n" });
        expect(await subject.processes(order.mark.buildId)).toBe(0);
      }));
  });

  describe("kill", () => {
    test.each([
      ["the script and what it has started", "(sleep 1000)& sh -c 'sleep 1001; :'& echo up; sleep 1002; :"],
      [
        "who does not listen",
        "trap '' TERM INT HUP; (trap '' TERM; while :; do sleep 1; done)& echo up; while :; do sleep 1; done",
      ],
      ["who has left the group", "setsid sh -c 'while :; do sleep 1; done' >/dev/null 2>&1 & echo up; sleep 1000; :"],
    ])("ends %s", (_who, script) =>
      inside([script], async ({ environment, order }) => {
        const stop = new AbortController();
        const up = deferred();
        const hear = async (bytes: Uint8Array) => {
          if (Buffer.from(bytes).toString().includes("up")) up.resolve();
        };
        const run = environment.run(order.jobs[0]!, hear, stop.signal);
        run.catch(() => undefined);
        await up.promise;
        await eventually(async () => expect(await subject.processes(order.mark.buildId)).toBeGreaterThan(1));
        stop.abort(new Ended("killed"));
        await expect(run).rejects.toMatchObject({ ending: "killed" });
        expect(await subject.processes(order.mark.buildId)).toBe(0);
      }),
    );

    test("counts also before the start", () =>
      inside(["echo never"], async ({ environment, order }) => {
        const signal = AbortSignal.abort(new Ended("killed"));
        await expect(ran(environment, order.jobs[0]!, signal)).rejects.toMatchObject({ ending: "killed" });
      }));
  });

  describe("put", () => {
    const put = { mode: 0o700, folderMode: undefined };

    test("places files where they belong, for all jobs", () => {
      const look = `cat in/a/file ${subject.elsewhere}/b/file; stat -c %a in/a/file ${subject.elsewhere}/b/file`;
      return inside([look, look], async ({ environment, order }) => {
        await environment.put({ ...put, path: "in/a/file", content: textOf("one\n") }, never);
        await environment.put({ ...put, path: `${subject.elsewhere}/b/file`, content: textOf("two\n") }, never);
        for (const job of order.jobs)
          expect(await ran(environment, job)).toEqual({ code: 0, text: "one\ntwo\n700\n700\n" });
      });
    });

    test("places empty and large files", () =>
      inside(["wc -c < empty; wc -c < large"], async ({ environment, order }) => {
        async function* large() {
          for (let piece = 0; piece < 100; piece++) yield Buffer.alloc(100_000, piece);
        }
        await environment.put({ ...put, path: "empty", content: textOf("") }, never);
        await environment.put({ ...put, path: "large", content: large() }, never);
        expect((await ran(environment, order.jobs[0]!)).text.split(/\s+/)).toEqual(["0", "10000000", ""]);
      }));

    test("places SSH keys in a folder for nobody else", () => {
      const folder = subject.driver.environment(orderOf(subject, [])).sshFolder;
      return inside([`stat -c %a ${folder} ${folder}/id; cat ${folder}/id`], async ({ environment, order }) => {
        const path = `${environment.sshFolder}/id`;
        await environment.put({ path, mode: 0o600, folderMode: 0o700, content: textOf("key\n") }, never);
        expect((await ran(environment, order.jobs[0]!)).text).toBe("700\n600\nkey\n");
      });
    });

    test("says when a file cannot be placed", () =>
      inside(["ls -A"], async ({ environment, order }) => {
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
        [
          `mkdir sub; printf one > sub/a; ln -s sub/a link; ln -s sub dir; ln -s link chain; mkdir -p ${posix.dirname(subject.elsewhere)}; printf two > ${subject.elsewhere}-file; pwd`,
        ],
        async ({ environment, order }) => {
          const { text } = await ran(environment, order.jobs[0]!);
          for (const path of ["sub/a", "./sub/../sub/a", "link", "dir/a", "chain", `${text.trim()}/sub/a`])
            expect(await contentOf(environment, path)).toBe("one");
          expect(await contentOf(environment, `${subject.elsewhere}-file`)).toBe("two");
        },
      ));

    test("reads empty and large files, and may be closed early", () =>
      inside([": > empty; head -c 5000000 /dev/zero > large"], async ({ environment, order }) => {
        await ran(environment, order.jobs[0]!);
        expect(await contentOf(environment, "empty")).toBe("");
        expect((await contentOf(environment, "large")).length).toBe(5_000_000);
        const unread = await environment.open("large", never);
        expect(unread.sizeBytes).toBe(5_000_000);
        await unread.close();
        const begun = await environment.open("large", never);
        for await (const _ of begun.content) break;
        await begun.close();
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
        ["mkdir folder; mkfifo pipe; echo > file; ln -s pipe to-pipe; ln -s folder to-folder; ln -s none broken"],
        async ({ environment, order }) => {
          await ran(environment, order.jobs[0]!);
          await expect(environment.open(path, never)).rejects.toMatchObject({ name: "Fault", message });
        },
      ),
    );

    test("refuses a link to itself", () =>
      inside(["ln -s loop loop"], async ({ environment, order }) => {
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

    test("finds everything below a directory, to a depth", () =>
      inside(
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

    test("knows names of any kind", () => {
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
      return inside([make], async ({ environment, order }) => {
        expect((await ran(environment, order.jobs[0]!)).code).toBe(0);
        expect(await listed(environment.list("", 1, never))).toEqual(names.map((name) => `file ${name}`).sort());
        for (const name of names) expect(await contentOf(environment, name)).toBe("x");
      });
    });
  });

  describe("dispose", () => {
    test("removes also what its owner may not enter, and deep trees", () =>
      inside(
        [
          "mkdir -p a/b; echo > a/b/c; chmod 000 a/b a; i=0; while [ $i -lt 300 ]; do mkdir deep-directory-deep; cd deep-directory-deep; i=$((i+1)); done",
        ],
        async ({ environment, order }) => void (await ran(environment, order.jobs[0]!)),
      ));

    test("may come without a prepare", async () => {
      await subject.driver.environment(orderOf(subject, ["echo"]))[Symbol.asyncDispose]();
    });

    test.each([0, 1, 5, 20, 50])("may come %d ms after a prepare that was stopped, or was not", async (ms) => {
      for (const stop of [true, false]) {
        const order = orderOf(subject, ["echo"]);
        const environment = subject.driver.environment(order);
        const stopping = new AbortController();
        const prepared = environment.prepare(() => undefined, stopping.signal).catch((error) => error);
        await new Promise((resolve) => setTimeout(resolve, ms));
        if (stop) stopping.abort(new Ended("killed"));
        await environment[Symbol.asyncDispose]();
        await prepared;
        expect(await subject.traces(order.mark.buildId)).toEqual([]);
      }
    });

    test("everything can be told by its mark until then", async () => {
      const order = orderOf(subject, ["sleep 1000; :"]);
      const environment = subject.driver.environment(order);
      await environment.prepare(() => undefined, never);
      const run = environment.run(order.jobs[0]!, async () => undefined, never);
      run.catch(() => undefined);
      await eventually(async () => expect(await subject.processes(order.mark.buildId)).toBeGreaterThan(0));
      const ours = (await subject.driver.leftovers()).filter(({ mark }) => mark.buildId === order.mark.buildId);
      expect(ours.map(({ mark }) => mark)).toEqual(ours.map(() => order.mark));
      expect(ours.length).toBe((await subject.traces(order.mark.buildId)).length);
      for (const { remove } of ours) await remove();
      expect(await subject.traces(order.mark.buildId)).toEqual([]);
      await eventually(async () => expect(await subject.processes(order.mark.buildId)).toBe(0));
      await run.catch(() => undefined);
      await environment[Symbol.asyncDispose]();
    });
  });
}
