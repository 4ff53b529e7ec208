import type { Fields } from "@ci/kit/rpc/fault";
import { keyJson } from "@ci/rest/key";
import { variableJson } from "@ci/rest/variable";
import { complaining } from "../complain.js";
import type { Context } from "../context.js";
import { known } from "../embed.js";
import { paged } from "../page.js";
import { type Ask, action } from "../row.js";
import { key, variable } from "../schemas.js";
import { flag, text } from "../shape.js";
import { checkMayChange, namespaceOf } from "../targets.js";

const query = { search: text };

async function pageOfVariables(
  ctx: Context,
  { query: { search = "" }, page }: Ask<typeof query>,
  namespaceId?: number,
) {
  const found = await ctx.variables.listVariables({ namespaceId, search, page });
  const all = await known(ctx, found.variables);
  const items = found.variables.map((one) => variableJson(one, all));
  return paged(items, found.page);
}

export const listVariables = action({
  summary: "Variables of the caller and of the namespaces where the caller is a member, by key",
  query,
  paged: true,
  answer: variable,
  run: (ctx, ask) => pageOfVariables(ctx, ask),
});

export const listVariablesOf = action({
  summary: "Variables of a namespace, by key",
  query,
  paged: true,
  answer: variable,
  run: async (ctx, ask) => pageOfVariables(ctx, ask, (await namespaceOf(ctx, ask)).id),
});

/** What is wrong with asking for masking by the name of the request and, otherwise, by that of the record. */
const maskComplaints = (mask?: boolean, masked?: boolean): Fields =>
  mask === undefined || masked === undefined || mask === masked
    ? {}
    : { mask: ["Mask differs from masked"], masked: ["Masked differs from mask"] };

export const createVariable = action({
  summary: "Creates a variable; mask and masked mean the same",
  body: { namespace: text, key: text, value: text, mask: flag, masked: flag },
  answer: variable,
  async run(ctx, { body: { namespace = "", key = "", value = "", mask, masked } }) {
    const wish = { namespace, key, value, mask: mask === true || masked === true };
    const create = () => ctx.variables.createVariable(wish);
    const made = (await complaining(maskComplaints(mask, masked), create)).variable!;
    return variableJson(made, await known(ctx, [made]));
  },
});

export const getVariable = action({
  summary: "A variable",
  answer: variable,
  async run(ctx, { params: { id } }) {
    const found = (await ctx.variables.getVariable({ id })).variable!;
    return variableJson(found, await known(ctx, [found]));
  },
});

export const deleteVariable = action({
  summary: "Deletes a variable",
  async run({ variables }, { params: { id } }) {
    await variables.deleteVariable({ id });
  },
});

async function pageOfKeys(ctx: Context, { query: { search = "" }, page }: Ask<typeof query>, namespaceId?: number) {
  const found = await ctx.keys.listKeys({ namespaceId, search, page });
  const all = await known(ctx, found.keys);
  const items = found.keys.map((one) => keyJson(one, all));
  return paged(items, found.page);
}

export const listKeys = action({
  summary: "Keys of the caller and of the namespaces where the caller is a member, by name",
  query,
  paged: true,
  answer: key,
  run: (ctx, ask) => pageOfKeys(ctx, ask),
});

export const listKeysOf = action({
  summary: "Keys of a namespace, by name",
  query,
  paged: true,
  answer: key,
  run: async (ctx, ask) => pageOfKeys(ctx, ask, (await namespaceOf(ctx, ask)).id),
});

export const createKey = action({
  summary: "Creates an SSH key",
  body: { namespace: text, name: text, key: text, config: text },
  answer: key,
  async run(ctx, { body: { namespace = "", name = "", key: privateKey = "", config = "" } }) {
    const made = (await ctx.keys.createKey({ namespace, name, privateKey, config })).key!;
    return keyJson(made, await known(ctx, [made]));
  },
});

export const getKey = action({
  summary: "An SSH key, without its private half",
  answer: key,
  async run(ctx, { params: { id } }) {
    const found = (await ctx.keys.getKey({ id })).key!;
    return keyJson(found, await known(ctx, [found]));
  },
});

export const updateKey = action({
  summary: "Changes the configuration of an SSH key",
  body: { config: text },
  answer: key,
  async target(ctx, { params: { id }, exchange }) {
    await checkMayChange(ctx, exchange, (await ctx.keys.getKey({ id })).key!);
  },
  async run(ctx, { params: { id }, body: { config } }) {
    const changed = (await ctx.keys.updateKey({ id, config })).key!;
    return keyJson(changed, await known(ctx, [changed]));
  },
});

export const deleteKey = action({
  summary: "Deletes an SSH key",
  async run({ keys }, { params: { id } }) {
    await keys.deleteKey({ id });
  },
});
