import { eventually } from "@ci/testkit/eventually";
import { Ended } from "../src/endings/ended.js";
import { deferred, inside, never, orderOf, printed, ran, type Subject } from "./_subject.js";
import { filesContract } from "./files-contract.js";
import { treesContract } from "./trees-contract.js";

/** Defines the tests that every driver must pass. Calls `open` once. */
export function driverContract(open: () => Promise<Subject>): void {
  let subject: Subject;
  beforeAll(async () => {
    subject = await open();
  });

  test("is ready", async () => {
    await eventually(async () => expect(await subject.driver.ready()).toBe(true));
  });

  describe("run", () => {
    test("returns the script's output and exit code", () =>
      inside(subject, ["echo out; echo err >&2; exit 3"], async ({ environment, order }) => {
        expect(await ran(environment, order.jobs[0]!)).toEqual({ code: 3, text: "out\nerr\n" });
      }));

    test("keeps the working directory between jobs, but not the shell", () =>
      inside(
        subject,
        ["mkdir sub; echo kept > sub/file; cd sub; X=1", 'cat sub/file; echo "X=$X"'],
        async ({ environment, order }) => {
          expect(await ran(environment, order.jobs[0]!)).toEqual({ code: 0, text: "" });
          expect(await ran(environment, order.jobs[1]!)).toEqual({ code: 0, text: "kept\nX=\n" });
        },
      ));

    test("gives the script the build's variables and none of the runner's", async () => {
      process.env.RUNNER_SECRET_OF_TEST = "leaked";
      const value = "a 'b' \"c\" $d\nline two";
      const text = await printed(subject, 'printf %s "$GIVEN"; echo; env', { variables: [{ key: "GIVEN", value }] });
      delete process.env.RUNNER_SECRET_OF_TEST;
      expect(text.startsWith(`${value}\n`)).toBe(true);
      expect(text).not.toContain("leaked");
      expect(text).toMatch(/^PATH=/m);
      expect(text).toMatch(/^HOME=/m);
    });

    test("gives the script what the build knows, unless a variable replaces it", () => {
      const script = 'printf "%s|" "$CI_JOB" "$MINE" "$OWN" "$CI_MESSAGE"; [ "$PWD" = "$CI_WORKSPACE" ]';
      return inside(subject, ["true", script], async ({ environment, order: { jobs } }) => {
        const variables = [
          { key: "OWN", value: "of the job" },
          { key: "MINE", value: "wins" },
        ];
        const facts = [
          { key: "CI_JOB", value: "unit" },
          { key: "MINE", value: "known" },
          { key: "CI_MESSAGE", value: "$(id)\n'; `id`" },
        ];
        // A driver may already have prepared the first job.
        Object.assign(jobs[1]!, { facts, variables });
        await ran(environment, jobs[0]!);
        expect(await ran(environment, jobs[1]!)).toEqual({ code: 0, text: "unit|wins|of the job|$(id)\n'; `id`|" });
      });
    });

    test("starts the script by an absolute path outside the working directory", async () => {
      const [script, folder, ...files] = (await printed(subject, 'echo "$0"; pwd; ls -A')).trim().split("\n");
      expect(script).toMatch(/^\//);
      expect(script!.startsWith(`${folder}/`)).toBe(false);
      expect(files).toEqual([]);
    });

    test("gives the script an empty standard input", async () => {
      expect(await printed(subject, "cat; echo done")).toBe("done\n");
    });

    test("lets the script open its own output", async () => {
      expect(
        await printed(subject, "echo one > /dev/stdout; echo two > /dev/stderr; echo three | tee /dev/stderr"),
      ).toBe("one\ntwo\nthree\nthree\n");
    });

    test("passes output on while the job runs", () =>
      inside(subject, ["echo first; while ! [ -e /nowhere ]; do sleep 1; done"], async ({ environment, order }) => {
        const abort = new AbortController();
        const onOutput = async (bytes: Uint8Array) => {
          if (Buffer.from(bytes).toString().includes("first")) abort.abort(new Ended("killed"));
        };
        await expect(environment.run(order.jobs[0]!, onOutput, abort.signal)).rejects.toMatchObject({
          ending: "killed",
        });
      }));

    test("returns all output, however slowly it is read", () =>
      inside(
        subject,
        [`awk 'BEGIN { while (i < 30000) print "line " i++ " of a job that talks a lot" }'`],
        async ({ environment, order }) => {
          const chunks: Buffer[] = [];
          let pauses = 0;
          const slow = async (bytes: Uint8Array) => {
            chunks.push(Buffer.from(bytes));
            if (pauses++ < 20) await new Promise((resolve) => setTimeout(resolve, 5));
          };
          expect(await environment.run(order.jobs[0]!, slow, never)).toBe(0);
          const lines = Buffer.concat(chunks).toString().trimEnd().split("\n");
          expect(lines.length).toBe(30_000);
          expect(lines.every((line, index) => line === `line ${index} of a job that talks a lot`)).toBe(true);
        },
      ));

    test("stops when its output cannot be delivered", () =>
      inside(subject, ["while :; do echo again; done"], async ({ environment, order }) => {
        const rejectOutput = () => Promise.reject(new Error("deaf"));
        await expect(environment.run(order.jobs[0]!, rejectOutput, never)).rejects.toThrow("deaf");
        expect(await subject.processes(order.mark.buildId)).toBe(0);
      }));

    test("ends the script and its children at `stop`, and can run another attempt", () =>
      inside(
        subject,
        ["[ -e tried ] && echo again && exit 0; touch tried; (sleep 1000)& echo up; sleep 1000; :"],
        async ({ environment, order }) => {
          const stop = new AbortController();
          const onOutput = async (bytes: Uint8Array) => {
            if (Buffer.from(bytes).toString().includes("up")) stop.abort();
          };
          const job = order.jobs[0]!;
          expect(await environment.run({ ...job, attempt: 1, stop: stop.signal }, onOutput, never)).not.toBe(0);
          await eventually(async () => expect(await subject.processes(order.mark.buildId)).toBe(0));
          expect(await ran(environment, { ...job, attempt: 2 })).toEqual({ code: 0, text: "again\n" });
        },
      ));

    test("runs jobs with the same `beside` at the same time, and tells their files apart", () => {
      const meet = (mine: string, other: string, code: number) =>
        `echo ${mine} > ${mine}; while ! [ -e ${other} ]; do sleep 0.1; done; echo ${mine}; exit ${code}`;
      return inside(subject, [meet("a", "b", 1), meet("b", "a", 2)], async ({ environment, order }) => {
        const jobs = order.jobs.map((job) => ({ ...job, beside: "stage" }));
        const ended = await Promise.all(jobs.map((job) => ran(environment, job)));
        expect(ended).toEqual([
          { code: 1, text: "a\n" },
          { code: 2, text: "b\n" },
        ]);
        for (const job of jobs) {
          expect(await environment.explain?.(1, never, job)).toBeUndefined();
          const { content, close } = await environment.open("b", never, job);
          for await (const bytes of content) expect(Buffer.from(bytes).toString()).toBe("b\n");
          await close();
        }
      });
    });

    test("ends background processes with the script", () =>
      inside(subject, ["(sleep 1000)& (sleep 1001)& echo started"], async ({ environment, order }) => {
        expect(await ran(environment, order.jobs[0]!)).toEqual({ code: 0, text: "started\n" });
        expect(await subject.processes(order.mark.buildId)).toBe(0);
      }));
  });

  describe("kill", () => {
    test.each([
      ["the script and its children", "(sleep 1000)& sh -c 'sleep 1001; :'& echo up; sleep 1002; :"],
      [
        "a process that ignores signals",
        "trap '' TERM INT HUP; (trap '' TERM; while :; do sleep 1; done)& echo up; while :; do sleep 1; done",
      ],
      [
        "a process that left the group",
        "setsid sh -c 'while :; do sleep 1; done' >/dev/null 2>&1 & echo up; sleep 1000; :",
      ],
    ])("ends %s at once", async (_what, script) => {
      // A busy machine may delay an attempt. An engine that first waits ten seconds is always late.
      const tookMs = [await millisecondsToKill(script)];
      while (tookMs.at(-1)! >= 9_000 && tookMs.length < 5) tookMs.push(await millisecondsToKill(script));
      expect(Math.min(...tookMs)).toBeLessThan(9_000);
    });

    /** Returns the time from the kill of a running script to its end. */
    async function millisecondsToKill(script: string): Promise<number> {
      let tookMs = Number.NaN;
      await inside(subject, [script], async ({ environment, order }) => {
        const abort = new AbortController();
        const up = deferred();
        const onOutput = async (bytes: Uint8Array) => {
          if (Buffer.from(bytes).toString().includes("up")) up.resolve();
        };
        const run = environment.run(order.jobs[0]!, onOutput, abort.signal);
        run.catch(() => undefined);
        await up.promise;
        await eventually(async () => expect(await subject.processes(order.mark.buildId)).toBeGreaterThan(1));
        expect(await subject.runs(order.mark.buildId)).toBe(true);
        const killedAt = performance.now();
        abort.abort(new Ended("killed"));
        while (await subject.runs(order.mark.buildId)) await new Promise((resolve) => setTimeout(resolve, 5));
        tookMs = performance.now() - killedAt;
        await expect(run).rejects.toMatchObject({ ending: "killed" });
        expect(await subject.processes(order.mark.buildId)).toBe(0);
      });
      return tookMs;
    }

    test("prevents a later start", () =>
      inside(subject, ["echo never"], async ({ environment, order }) => {
        const signal = AbortSignal.abort(new Ended("killed"));
        await expect(ran(environment, order.jobs[0]!, signal)).rejects.toMatchObject({ ending: "killed" });
      }));
  });

  filesContract(() => subject);
  treesContract(() => subject);

  describe("dispose", () => {
    test("removes deep trees and folders that their owner may not enter", () =>
      inside(
        subject,
        [
          "mkdir -p a/b; echo > a/b/c; chmod 000 a/b a; i=0; while [ $i -lt 300 ]; do mkdir deep-directory-deep; cd deep-directory-deep; i=$((i+1)); done",
        ],
        async ({ environment, order }) => void (await ran(environment, order.jobs[0]!)),
      ));

    test("succeeds without a prepare", async () => {
      await subject.driver.environment(orderOf(subject, ["echo"]))[Symbol.asyncDispose]();
    });

    test.each([0, 1, 5, 20, 50])("succeeds %d ms after the start of a prepare, aborted or not", async (ms) => {
      for (const abort of [true, false]) {
        const order = orderOf(subject, ["echo"]);
        const environment = subject.driver.environment(order);
        const stopping = new AbortController();
        const prepared = environment.prepare(() => undefined, stopping.signal).catch((error) => error);
        await new Promise((resolve) => setTimeout(resolve, ms));
        if (abort) stopping.abort(new Ended("killed"));
        await environment[Symbol.asyncDispose]();
        await prepared;
        expect(await subject.traces(order.mark.buildId)).toEqual([]);
      }
    });

    test("removes only marked things, which leftovers lists before", async () => {
      const order = orderOf(subject, ["sleep 1000; :"]);
      const environment = subject.driver.environment(order);
      await environment.prepare(() => undefined, never);
      const run = environment.run(order.jobs[0]!, async () => undefined, never);
      run.catch(() => undefined);
      await eventually(async () => expect(await subject.processes(order.mark.buildId)).toBeGreaterThan(0));
      const leftovers = (await subject.driver.leftovers()).filter(({ mark }) => mark.buildId === order.mark.buildId);
      expect(leftovers.map(({ mark }) => mark)).toEqual(leftovers.map(() => order.mark));
      expect(leftovers.length).toBe((await subject.traces(order.mark.buildId)).length);
      for (const { remove } of leftovers) await remove();
      expect(await subject.traces(order.mark.buildId)).toEqual([]);
      await eventually(async () => expect(await subject.processes(order.mark.buildId)).toBe(0));
      await run.catch(() => undefined);
      await environment[Symbol.asyncDispose]();
    });
  });
}
