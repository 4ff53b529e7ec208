import { complain, validated } from "@ci/kit/rpc/validated";
import { seeRecord } from "../actions/records.js";
import { decryptSecret, encryptSecret, toVariable } from "../actions/secrets.js";
import type { Context, VariableHandlers } from "../context.js";
import { variableChanged } from "../domain/events.js";
import { type VariableDoc, variableValueComplaints } from "../domain/variable.js";

type Change = Pick<Parameters<VariableHandlers["updateVariable"]>[0], "value" | "mask">;

/** Returns what is wrong with a change. Unmasking requires a new value, so nobody learns the masked one. */
function changeComplaints({ config }: Context, doc: VariableDoc, { value, mask = doc.masked }: Change): string[] {
  if (value !== undefined) return variableValueComplaints(value, mask);
  if (mask === doc.masked) return [];
  return mask
    ? variableValueComplaints(decryptSecret(config.keyring, "variable", doc), mask)
    : ["Value field required to show a masked variable"];
}

export const updateVariable = (ctx: Context): VariableHandlers["updateVariable"] =>
  validated(async ({ id, value, mask }, { caller }) => {
    const see = () => seeRecord(ctx, ctx.variables, id, caller, "write");
    const { keyring } = ctx.config;
    const found = await see();
    return {
      complaints: { value: changeComplaints(ctx, found, { value, mask }) },
      async change() {
        // If the record was changed or deleted since it was read, read it again.
        for (let read = found; ; read = await see()) {
          complain({ value: changeComplaints(ctx, read, { value, mask }) });
          if (value === undefined && (mask ?? read.masked) === read.masked)
            return { variable: toVariable(keyring, read) };
          const secret = value === undefined ? {} : encryptSecret(keyring, "variable", id, value);
          const set = { ...secret, masked: mask ?? read.masked };
          const variable = toVariable(keyring, { ...read, ...set });
          const event = variableChanged({ at: ctx.now(), actorId: caller.userId }, "updated", variable);
          const changed = await ctx.variables.change(read, set, event, ["sealed", "masked"]);
          if (changed) return { variable: toVariable(keyring, changed) };
        }
      },
    };
  });
