import { FetchFailed } from "@ci/kit/net/fetch-failed";
import { type Answer, guardedStream } from "@ci/kit/net/guarded-fetch";
import type { Context } from "../context.js";
import { answerComplaint, contentTypes } from "../domain/attempt.js";
import { type Rest, totalOf, totalOfRest, validatorOf } from "../domain/continued.js";
import { credentials, type Source } from "./source.js";

/** User and password of a URL as a header; it stays within the URL's origin when redirects are followed. */
function authorization(url: URL): Record<string, string> {
  const { username, password } = credentials(url);
  if (username === "" && password === "") return {};
  return { Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}` };
}

function ask(ctx: Context, url: URL, signal: AbortSignal, rest?: Rest): Promise<Answer> {
  const bare = new URL(url);
  bare.username = "";
  bare.password = "";
  const range: Record<string, string> = rest ? { Range: `bytes=${rest.from}-`, "If-Range": rest.validator } : {};
  return guardedStream(ctx.agent, bare, {
    headers: { Accept: contentTypes.join(", "), "User-Agent": "Service-CI", ...range, ...authorization(url) },
    timeoutMs: ctx.config.downloadTimeoutMs,
    maxRedirects: ctx.config.downloadRedirects,
    signal,
  });
}

/** Asks for a URL over HTTP, or for the rest of what it was. FetchFailed unless the answer may be an image. */
export async function openHttp(ctx: Context, url: URL, signal: AbortSignal, rest?: Rest): Promise<Source> {
  const answer = await ask(ctx, url, signal, rest);
  const { status, headers, body } = answer;
  const total = rest && status === 206 ? totalOfRest(rest, headers) : undefined;
  // Ranges are not this server's strength: then all of it.
  if (rest && total === undefined && (status === 206 || status === 416)) {
    answer[Symbol.dispose]();
    return openHttp(ctx, url, signal);
  }
  const complaint = answerComplaint(total === undefined ? status : 200, headers["content-type"]);
  if (complaint) {
    answer[Symbol.dispose]();
    throw new FetchFailed(complaint);
  }
  const source = { bytes: body, [Symbol.asyncDispose]: async () => answer[Symbol.dispose]() };
  return rest && total !== undefined
    ? { ...source, ...rest, total }
    : { ...source, from: 0, total: totalOf(headers), validator: validatorOf(headers) };
}
