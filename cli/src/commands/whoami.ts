import type { Handler } from "../command.js";
import { printFields } from "../format/table.js";
import { print, printJson } from "../io.js";
import { connect } from "../session.js";
import type { Specs } from "../specs.js";

export const run: Handler<Specs["whoami"]> = async (io) => {
  const session = await connect(io);
  const user = await session.user();
  if (io.options.json) await printJson(io, user);
  else if (io.options.quiet) await print(io, user.username);
  else
    await printFields(io, [
      ["user", user.username],
      ["email", user.email],
      ["admin", user.admin ? "yes" : "no"],
      ["server", session.server],
    ]);
};
