import { ApiError, record } from "@service-ci/client";
import type { Handler } from "../command.js";
import { type Contexts, readContexts, writeContexts } from "../contexts.js";
import { UsageError } from "../exit.js";
import { note, print, printJson, readSecret } from "../io.js";
import { promptSecret } from "../prompt.js";
import { isPlain, serverUrl } from "../server.js";
import { clientOf, publicUrlOf } from "../session.js";
import type { Specs } from "../specs.js";
import { checkToken } from "../token.js";

function freeName(contexts: Contexts["contexts"], server: string): string {
  const { host, pathname } = new URL(server);
  const isTaken = new URL(contexts[host]?.server ?? server).pathname !== pathname;
  return isTaken ? `${host}${pathname}` : host;
}

export const run: Handler<Specs["login"]> = async (io, { address, name }) => {
  const server = serverUrl(address);
  const public_url = await publicUrlOf(clientOf(io, server), server);
  if (isPlain(server)) note(io, `Warning: the token travels to ${server} in plain text. Use https if you can`);
  const given = io.options.token ?? (io.stdin.isTTY ? undefined : "-");
  const token = given === undefined ? await promptSecret(io, `Token for ${server}: `) : await readSecret(io, given);
  checkToken(
    token,
    given === undefined ? "from the terminal" : given === "-" ? "on standard input" : "of the option --token",
  );
  const user = await record(clientOf(io, server, token).api.GET("/user")).catch((error) => {
    if (error instanceof ApiError && error.status === 401) throw new UsageError(`${server} does not accept this token`);
    throw error;
  });
  const { contexts } = await readContexts(io);
  const context = name ?? freeName(contexts, server);
  const added = { server, public_url, username: user.username, token };
  await writeContexts(io, { current: context, contexts: { ...contexts, [context]: added } });
  if (io.env.CI_TOKEN || io.env.CI_SERVER)
    note(io, "Warning: CI_SERVER and CI_TOKEN take precedence over this context");
  if (io.options.json) await printJson(io, user);
  else if (!io.options.quiet) await print(io, `Signed in to ${server} as ${user.username}`);
};
