import { z } from "zod";
import { action } from "../http/row.js";
import { submission } from "./builds.js";

const place = z.int().min(1).nullable();

const checked = z.object({
  valid: z.boolean().describe("Whether POST /builds accepts the same request"),
  errors: z
    .array(
      z.object({
        message: z.string().describe("What is wrong, in the words of POST /builds"),
        line: place.describe("Line of the manifest, from 1; null if the error is about no single place"),
        column: place.describe("Column in the line, from 1"),
      }),
    )
    .describe("Every mistake"),
  jobs: z
    .array(
      z.object({
        stage: z.string().describe("Its stage"),
        name: z.string().describe("Its name in the build"),
        commands: z.array(z.string()).describe("What it runs"),
        artifacts: z.array(z.string()).describe("Sources of its artifacts"),
        allow_failure: z.boolean().describe("Whether the build passes even if the job fails"),
      }),
    )
    .describe("The jobs of the build in order; empty if the manifest cannot be read"),
});

export const checkManifest = action({
  summary: "Checks a request for a build: returns its mistakes and jobs, and creates nothing",
  body: submission,
  required: ["manifest"],
  returns: checked,
  async run(ctx, { body: { manifest = "", tags = [], variables = {} } }) {
    const { errors, jobs } = await ctx.builds.checkManifest({ manifest, tags, variables });
    return {
      valid: errors.length === 0,
      errors: errors.map(({ message, line = null, column = null }) => ({ message, line, column })),
      jobs: jobs.map(({ mayFail, ...job }) => ({ ...job, allow_failure: mayFail })),
    };
  },
});

export const getManifestSchema = action({
  summary: "The JSON Schema of a manifest, for editors",
  returns: z.looseObject({ $schema: z.string().describe("The dialect of JSON Schema") }),
  run: ({ documents }) => documents.manifestSchema,
});
