import type { Fields } from "@ci/kit/rpc/fault";
import { variableJson, variableSchema } from "@ci/rest/variable";
import { checkMayChange, namespaceOf } from "../auth/targets.js";
import { pageOfRecords } from "../backend/record-page.js";
import { relationsFor } from "../backend/relations.js";
import type { Context } from "../context.js";
import { complaining } from "../http/complain.js";
import { action, type Input } from "../http/row.js";
import { flag, limitedText, namespace, search, text } from "../http/shape.js";

async function list(ctx: Context, { query, page }: Input<typeof search>, namespaceId?: number) {
  const request = { namespaceId, search: query.search ?? "", page };
  const { variables, page: info } = await ctx.variables.listVariables(request);
  return pageOfRecords(ctx, variables, variableJson, info);
}

export const listVariables = action({
  summary: "Variables of the caller and of the namespaces where the caller is a member, by key",
  query: search,
  paged: true,
  returns: variableSchema,
  run: (ctx, input) => list(ctx, input),
});

export const listNamespaceVariables = action({
  summary: "Variables of a namespace, by key",
  query: search,
  paged: true,
  returns: variableSchema,
  target: namespaceOf,
  run: async (ctx, input) => list(ctx, input, (await namespaceOf(ctx, input)).id),
});

/** Complains if the two names of the same field have different values. */
const maskComplaints = (mask?: boolean, masked?: boolean): Fields =>
  mask === undefined || masked === undefined || mask === masked
    ? {}
    : { mask: ["Mask differs from masked"], masked: ["Masked differs from mask"] };

export const createVariable = action({
  summary: "Creates a variable",
  changes: "variable",
  body: {
    namespace,
    key: limitedText("text").describe("Name of the environment variable"),
    value: text.describe("Value of the variable"),
    mask: flag.describe("Whether the value is hidden from responses and output; false if missing"),
    masked: flag.describe("The same as `mask`"),
  },
  required: ["key", "value"],
  refuses: ["variables"],
  returns: variableSchema,
  async run(ctx, { body: { namespace = "", key = "", value = "", mask, masked } }) {
    const request = { namespace, key, value, mask: mask === true || masked === true };
    const create = ({ variables }: Context) => variables.createVariable(request);
    const variable = (await complaining(ctx, maskComplaints(mask, masked), create)).variable!;
    return variableJson(variable, await relationsFor(ctx, [variable]));
  },
});

export const getVariable = action({
  summary: "A variable",
  returns: variableSchema,
  async run(ctx, { params: { id } }) {
    const variable = (await ctx.variables.getVariable({ id })).variable!;
    return variableJson(variable, await relationsFor(ctx, [variable]));
  },
});

export const updateVariable = action({
  summary: "Changes the value of a variable or whether it is masked; unmasking requires a new value",
  changes: "variable",
  body: {
    value: text.describe("New value of the variable"),
    mask: flag.describe("Whether the value is hidden from responses and output"),
    masked: flag.describe("The same as `mask`"),
  },
  returns: variableSchema,
  async target(ctx, { params: { id }, exchange }) {
    await checkMayChange(ctx, exchange, (await ctx.variables.getVariable({ id })).variable!);
  },
  async run(ctx, { params: { id }, body: { value, mask, masked } }) {
    const update = ({ variables }: Context) => variables.updateVariable({ id, value, mask: mask ?? masked });
    const variable = (await complaining(ctx, maskComplaints(mask, masked), update)).variable!;
    return variableJson(variable, await relationsFor(ctx, [variable]));
  },
});

export const deleteVariable = action({
  summary: "Deletes a variable",
  changes: "variable",
  run: ({ variables }, { params: { id } }) => variables.deleteVariable({ id }),
});
