import { findBuild, pathOf } from "../build-ref.js";
import type { Handler } from "../command.js";
import { printList } from "../list.js";
import { recordsAt } from "../pages.js";
import { connect } from "../session.js";
import type { Specs } from "../specs.js";

export const run: Handler<Specs["artifacts list"]> = async (io, { build }) => {
  const session = await connect(io);
  const records = recordsAt(session, `${pathOf(await findBuild(session, build))}/artifacts`);
  await printList(io, records, { columns: ["name", "size", "job", "sha256"], nameOf: ({ name }) => String(name) });
};
