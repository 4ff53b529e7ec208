import { pageOf } from "@ci/kit/rpc/page";
import { decrypt } from "@ci/kit/security/secrets";
import { inRecordTurn } from "../actions/list-turns.js";
import { withQueuePlace } from "../actions/queue/queue-places.js";
import { seeBuild } from "../actions/see.js";
import type { Context, Handlers } from "../context.js";
import { contains, sortedByName, toVariable } from "../domain/records.js";

export const listBuildVariables =
  (ctx: Context): Handlers["listBuildVariables"] =>
  ({ ref, search, page: requested }, { caller, signal }) => {
    const read = async () => {
      const doc = await seeBuild(ctx, caller, ref, ["variables"]);
      const found = doc.variables.filter((variable) => contains(variable.key, search));
      const matching = sortedByName(found, (variable) => variable.key);
      const { items, page } = pageOf(matching, requested?.number);
      const plain = (sealed: string, id: number) => decrypt(ctx.config.keyring, sealed, { kind: "build variable", id });
      return {
        variables: items.map((variable) => toVariable(doc, variable, plain)),
        page,
        build: await withQueuePlace(ctx, doc),
      };
    };
    return inRecordTurn(caller.userId, read, signal);
  };
