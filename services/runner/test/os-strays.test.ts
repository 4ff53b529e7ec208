import { osSubject } from "./_os.js";
import { inside, never, ran } from "./_subject.js";

/** Starts a process that leaves the job's group and prints for ever. */
const stray = (printing: string) => `setsid sh -c '${printing}' & until [ -e up ]; do :; done`;
const talks = stray("touch up; while :; do echo x; sleep 0.02; done");
const floods = stray("touch up; yes");

const open = () => osSubject(undefined, "strays");

test.each([talks, floods])(
  "a job ends with its script, even if a process that it left prints on (%#)",
  async (script) =>
    inside(await open(), [`echo first; ${script}; exit 3`], async ({ environment, order }) => {
      const { code, text } = await ran(environment, order.jobs[0]!);
      expect(code).toBe(3);
      expect(text).toMatch(/^first\n/);
    }),
);

test("a job ends with its script, even if a process that it left prints faster than anyone reads", async () =>
  inside(await open(), [floods], async ({ environment, order }) => {
    const slowly = () => new Promise<void>((resolve) => setTimeout(resolve, 60));
    expect(await environment.run(order.jobs[0]!, slowly, never)).toBe(0);
  }));

test.each([talks, floods])("a job can be stopped, even if a process that it left prints on (%#)", async (script) =>
  inside(await open(), [`${script}; sleep 1000`], async ({ environment, order }) => {
    const stop = new AbortController();
    const onOutput = async () => stop.abort();
    expect(await environment.run({ ...order.jobs[0]!, stop: stop.signal }, onOutput, never)).not.toBe(0);
  }),
);
