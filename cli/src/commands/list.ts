import type { Handler } from "../command.js";
import { buildName } from "../format/cells.js";
import { printList } from "../list.js";
import { findNamespace, namespacePath } from "../namespace-ref.js";
import { recordsAt } from "../pages.js";
import { connect } from "../session.js";
import type { Specs } from "../specs.js";

const columns = ["build", "status", "namespace", "comment", "tags", "time", "created_at"];

export const run: Handler<Specs["list"]> = async (io, { namespace, limit = 25, status, tag, search }) => {
  const session = await connect(io);
  const path = namespace ? `${namespacePath(await findNamespace(session, namespace))}/-/builds` : "/builds";
  const brief = io.options.json ? undefined : "true";
  const nameOf = (record: unknown) => buildName(record as Parameters<typeof buildName>[0]);
  await printList(io, recordsAt(session, path, { status, tag, search, brief }), { columns, nameOf, limit });
};
