import { quoted } from "@ci/kit/rpc/fault";
import { BuildTest_Status } from "@ci/proto/builds/v1/builds";
import { testJson, testSchema } from "@ci/rest/test";
import { z } from "zod";
import { buildRefOf, visibleBuild } from "../auth/targets.js";
import { paged } from "../http/page.js";
import { action } from "../http/row.js";

const status = z
  .enum(BuildTest_Status, { error: ({ input }) => `invalid status ${quoted(String(input))}` })
  .optional()
  .describe("Only tests with this status");

const order = z
  .enum(["jobs", "slowest"], { error: ({ input }) => `invalid order ${quoted(String(input))}` })
  .optional()
  .describe("`jobs`, the default: in the order of the jobs; `slowest`: the slowest first");

export const listTests = action({
  summary: "Test cases from the reports of a build's jobs, in the order of the jobs",
  query: { status, order },
  paged: true,
  returns: testSchema,
  target: visibleBuild,
  async run(ctx, input) {
    const ref = await buildRefOf(ctx, input);
    const { status, order } = input.query;
    const request = { ref, status, slowestFirst: order === "slowest", page: input.page };
    const { tests, page } = await ctx.builds.listTests(request);
    return paged(tests.map(testJson), page);
  },
});
