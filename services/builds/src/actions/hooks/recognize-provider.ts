import { FetchFailed } from "@ci/kit/net/fetch-failed";
import { guardedFetch } from "@ci/kit/net/guarded-fetch";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { Repository_Provider } from "@ci/proto/builds/v1/repositories";
import type { Context } from "../../context.js";
import { numberAt } from "../../domain/hooks/payload.js";
import { providerByHost, repositoryApi } from "../../domain/hooks/provider-api.js";
import { readResponse } from "./read-payload.js";

const maxBodyBytes = fixedLimit({
  max: 256 * 1024,
  unit: "bytes",
  about: "provider's description of a repository",
  effect: "the provider has to be named",
});

const candidates = ["gitea", "gitlab", "github"] as const satisfies readonly Repository_Provider[];

/** Finds the provider of a repository: by a well-known host, or by the API that knows the repository. */
export async function recognizeProvider(
  ctx: Pick<Context, "agent" | "config" | "signal">,
  cloneUrl: string,
  token: string,
): Promise<Repository_Provider | undefined> {
  const known = providerByHost(cloneUrl);
  if (known) return known;
  const limits = { timeoutMs: ctx.config.hookAnswerMs, maxBodyBytes, signal: ctx.signal };
  const recognized = await Promise.all(
    candidates.map(async (provider) => {
      const { url, headers } = repositoryApi({ provider, cloneUrl }, token);
      try {
        const { status, body } = await guardedFetch(ctx.agent, url, { headers, ...limits });
        if (status !== 200) return false;
        return numberAt(await readResponse(body), "id") !== undefined;
      } catch (error) {
        if (ctx.signal.aborted || !(error instanceof FetchFailed)) throw error;
        return false;
      }
    }),
  );
  return candidates.find((_, index) => recognized[index]);
}
