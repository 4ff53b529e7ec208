import { checkDraft } from "../actions/submit/prepare-build.js";
import type { Context, Handlers } from "../context.js";
import { parametersOf } from "../domain/parameters.js";
import { planJobs } from "../domain/plan.js";

export const checkManifest =
  (ctx: Context): Handlers["checkManifest"] =>
  async ({ manifest: text, tags, variables }, { caller }) => {
    const parameters = parametersOf(variables);
    const { complaints, manifest } = await checkDraft(ctx, { text, tags, parameters, userId: caller.userId! });
    // The setup stage, whose name contains the build's number, is not in the manifest.
    const jobs = manifest ? planJobs(manifest, 0).slice(1 + manifest.services.length + manifest.sources.length) : [];
    return {
      errors: complaints.map(({ message, line, column }) => ({ message, line, column })),
      jobs: jobs.map(({ stage, name, commands, artifacts, mayFail }) => ({
        stage,
        name,
        mayFail,
        commands: [...commands],
        artifacts: artifacts.map(({ source }) => source),
      })),
    };
  };
