import { FetchFailed } from "@ci/kit/fetch-failed";
import { guardedStream } from "@ci/kit/guarded-fetch";
import type { Context } from "../context.js";
import { answerComplaint, contentTypes } from "../domain/attempt.js";
import { credentials, type Source } from "./source.js";

/** User and password of a URL as a header; it stays within the URL's origin when redirects are followed. */
function authorization(url: URL): Record<string, string> {
  const { username, password } = credentials(url);
  if (username === "" && password === "") return {};
  return { Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}` };
}

/** Asks for a URL over HTTP. FetchFailed unless the answer may be an image. */
export async function openHttp(ctx: Context, url: URL, signal: AbortSignal): Promise<Source> {
  const bare = new URL(url);
  bare.username = "";
  bare.password = "";
  const answer = await guardedStream(ctx.agent, bare, {
    headers: { Accept: contentTypes.join(", "), "User-Agent": "Service-CI", ...authorization(url) },
    timeoutMs: ctx.config.downloadTimeoutMs,
    maxRedirects: ctx.config.downloadRedirects,
    signal,
  });
  const complaint = answerComplaint(answer.status, answer.headers["content-type"]);
  if (complaint) {
    answer[Symbol.dispose]();
    throw new FetchFailed(complaint);
  }
  return { bytes: answer.body, [Symbol.asyncDispose]: async () => answer[Symbol.dispose]() };
}
