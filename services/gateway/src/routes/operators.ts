import { queueJson, queueSchema, runnerJson, runnerSchema } from "@ci/rest/operators";
import { z } from "zod";
import { paged } from "../http/page.js";
import { action } from "../http/row.js";

export const listRunners = action({
  summary: "Runners with what they do, by id; for administrators",
  paged: true,
  returns: runnerSchema,
  async run({ operators }, { page }) {
    const { runners, page: info } = await operators.listRunners({ page });
    return paged(runners.map(runnerJson), info);
  },
});

const defaultHours = 3;
const hours = z
  .string()
  .regex(/^(?:[1-9]|1\d|2[0-4])$/, { error: "must be a number from 1 to 24" })
  .transform(Number)
  .optional()
  .describe("How many hours of the past, from 1 to 24; 3 if missing");

export const getQueue = action({
  summary: "The builds that wait and run, and the last hours of the queue; for administrators",
  query: { hours },
  returns: queueSchema,
  run: async ({ operators }, { query }) => queueJson(await operators.getQueue({ hours: query.hours ?? defaultHours })),
});
