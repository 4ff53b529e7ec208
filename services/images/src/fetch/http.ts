import { FetchFailed } from "@ci/kit/net/fetch-failed";
import { guardedStream, type StreamedResponse } from "@ci/kit/net/guarded-fetch";
import type { Context } from "../context.js";
import { contentTypes, responseComplaint } from "../domain/attempt.js";
import { type Rest, totalOf, totalOfRest, validatorOf } from "../domain/resume.js";
import { credentials, type Source } from "./source.js";

/** Returns the URL's credentials as a header. Redirects to another origin drop it. */
function authorization(url: URL): Record<string, string> {
  const { username, password } = credentials(url);
  if (username === "" && password === "") return {};
  return { Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}` };
}

function request(ctx: Context, url: URL, signal: AbortSignal, rest?: Rest): Promise<StreamedResponse> {
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

/** Requests a URL over HTTP, or the rest of its content. Throws FetchFailed unless the response may be an image. */
export async function openHttp(ctx: Context, url: URL, signal: AbortSignal, rest?: Rest): Promise<Source> {
  const response = await request(ctx, url, signal, rest);
  const { status, headers, body } = response;
  const total = rest && status === 206 ? totalOfRest(rest, headers) : undefined;
  // The server cannot resume, so start from the beginning.
  if (rest && total === undefined && (status === 206 || status === 416)) {
    response[Symbol.dispose]();
    return openHttp(ctx, url, signal);
  }
  const complaint = responseComplaint(total === undefined ? status : 200, headers["content-type"]);
  if (complaint) {
    response[Symbol.dispose]();
    throw new FetchFailed(complaint);
  }
  const source = { bytes: body, [Symbol.asyncDispose]: async () => response[Symbol.dispose]() };
  return rest && total !== undefined
    ? { ...source, ...rest, total }
    : { ...source, from: 0, total: totalOf(headers), validator: validatorOf(headers) };
}
