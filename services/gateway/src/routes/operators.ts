import { queueJson, queueSchema, runnerJson, runnerSchema } from "@ci/rest/operators";
import { z } from "zod";
import { paged } from "../http/page.js";
import { action } from "../http/row.js";

export const listRunners = action({
  summary: "Runners and their busy slots, by id; for administrators",
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
  .describe("Hours of history, 1 to 24; default: 3");

export const getQueue = action({
  summary: "Numbers of queued and running builds, and the queue's last hours; for administrators",
  query: { hours },
  returns: queueSchema,
  run: async ({ operators }, { query }) => queueJson(await operators.getQueue({ hours: query.hours ?? defaultHours })),
});
