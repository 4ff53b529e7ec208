import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { Fault, invalid } from "@ci/kit/rpc/fault";
import type { TestCase } from "@ci/proto/builds/v1/queue";
import { heldBuild } from "../../actions/queue/held-build.js";
import type { Context, QueueHandlers } from "../../context.js";
import { seqOf, type TestDoc } from "../../domain/tests.js";

const maxCases = fixedLimit({
  max: 200,
  about: "test cases in one message of a runner",
  refusal: "Cases cannot exceed N",
});
const maxListed = 20_000;
const maxText = 8_192;

const isShort = (one: TestCase): boolean =>
  [one.suite, one.className, one.name, one.message, one.output].every((text) => text.length <= maxText);

export const putTests =
  (ctx: Context): QueueHandlers["putTests"] =>
  async ({ jobId, from, cases, ...lease }) => {
    const { _id: buildId, epoch, jobs, steps } = await heldBuild(ctx, lease);
    const index = jobs.findIndex(({ id }) => id === jobId);
    if (!steps[index]?.reports) throw new Fault("conflict", `Job ${jobId} has no reports`);
    if (cases.length > maxCases || from < 0 || from + cases.length > maxListed || !cases.every(isShort))
      throw invalid({ cases: [`Cases cannot exceed ${maxCases}`] });
    const { name: job } = jobs[index]!;
    const docs = cases.map((one, nth): TestDoc => {
      const seq = seqOf(index, from + nth);
      return { _id: `${buildId}/${epoch}/${seq}`, buildId, epoch, seq, job, ...one };
    });
    await ctx.tests.put(docs);
    if (from === 0) await ctx.tests.removeBefore(buildId, epoch);
    return {};
  };
