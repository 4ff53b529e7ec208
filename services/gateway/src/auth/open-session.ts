import type { CreateSessionRequest } from "@ci/proto/namespaces/v1/accounts";
import type { Context } from "../context.js";
import { clientAddress } from "../http/address.js";
import type { Exchange } from "../http/exchange.js";
import { sessionCookie } from "./cookie.js";
import { sessionFrom } from "./sessions.js";

/** Opens a session for the browser that sent a request. Returns it with the Set-Cookie header. */
export async function openSessionFor(
  { accounts, config }: Context,
  exchange: Exchange,
  by: CreateSessionRequest["by"],
) {
  const userAgent = exchange.request.headers["user-agent"] ?? "";
  const address = clientAddress(exchange.request, config.trustedProxies);
  const opened = await accounts.createSession({ by, userAgent, address });
  const session = opened.session!;
  exchange.session = sessionFrom(opened.user!, opened.token!, session.id);
  return { session, cookie: sessionCookie(config, opened.secret, opened.validForMs) };
}
