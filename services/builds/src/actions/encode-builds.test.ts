import { Build } from "@ci/proto/builds/v1/builds";
import { turnsDuring } from "@ci/testkit/turns-during";
import { aBuild, t0 } from "../../test/_build.js";
import { encodeBuilds } from "./encode-builds.js";

const jobs = 499;
/** Jobs that have printed four lines each, in turn. */
const tail = Array.from({ length: 4 * jobs }, (_, n) => {
  const line = Math.floor(n / jobs);
  return { job: n % jobs, start: 2 * n, jobStart: 2 * line, bytes: 2, text: `${line}\n`, at: t0 };
});
const parts = Array.from({ length: jobs }, (_, job) => ({ job, jobStart: 0, bytes: 8, start: 8 * job }));
const build = aBuild({ status: "passed", tail, parts, outputBytes: 8 * jobs });

it("other work has a turn after each build with many pieces of output, and only then", async () => {
  const encoding = encodeBuilds(Array.from({ length: 25 }).fill(build) as never, new Map(), 64 * 1024);
  expect(await turnsDuring(encoding)).toBeGreaterThanOrEqual(24);
  const texts = (await encoding).map((bytes) => Build.decode(bytes).output);
  expect(new Set(texts)).toEqual(new Set(["0\n1\n2\n3\n".repeat(jobs)]));
  const few = Array.from({ length: 25 }, () => aBuild({ tail: tail.slice(0, 10), outputBytes: 20 }));
  expect(await turnsDuring(encodeBuilds(few, new Map(), 64 * 1024))).toBeLessThanOrEqual(1);
});

it("a record looks at each part a few times, however many pieces there are", async () => {
  let looks = 0;
  const counted = parts.map(({ job, ...part }) => ({
    ...part,
    get job() {
      looks++;
      return job;
    },
  }));
  await encodeBuilds([{ ...build, parts: counted }], new Map(), 64 * 1024);
  expect(looks).toBeLessThanOrEqual(4 * jobs + tail.length);
});
