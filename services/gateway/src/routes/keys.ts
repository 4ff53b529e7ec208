import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { keyJson, keySchema } from "@ci/rest/key";
import { checkMayChange, namespaceOf } from "../auth/targets.js";
import { pageOfRecords } from "../backend/record-page.js";
import { relationsFor } from "../backend/relations.js";
import type { Context } from "../context.js";
import { action, type Input } from "../http/row.js";
import { namespace, search, text, textUpTo } from "../http/shape.js";

async function list(ctx: Context, { query, page }: Input<typeof search>, namespaceId?: number) {
  const { keys, page: info } = await ctx.keys.listKeys({ namespaceId, search: query.search ?? "", page });
  return pageOfRecords(ctx, keys, keyJson, info);
}

export const listKeys = action({
  summary: "Keys of the caller and of the namespaces where the caller is a member, by name",
  query: search,
  paged: true,
  returns: keySchema,
  run: (ctx, input) => list(ctx, input),
});

export const listNamespaceKeys = action({
  summary: "Keys of a namespace, by name",
  query: search,
  paged: true,
  returns: keySchema,
  target: namespaceOf,
  run: async (ctx, input) => list(ctx, input, (await namespaceOf(ctx, input)).id),
});

/** Characters of a private key with its notes, and of its lines for the SSH client. */
const maxKeyLength = fixedLimit({
  max: 16_384,
  about: "characters of a private key",
  refusal: "Key cannot be longer than N characters in length",
});
const maxConfigLength = fixedLimit({
  max: 4_096,
  about: "characters of the `config` of a key",
  refusal: "Config cannot be longer than N characters in length",
});

const config = textUpTo(maxConfigLength).describe("Lines for the SSH client's configuration");

export const createKey = action({
  summary: "Creates an SSH key",
  changes: "key",
  body: {
    namespace,
    name: text.describe("Name of the key, and of its file in a build"),
    key: textUpTo(maxKeyLength).describe("The private key, without passphrase"),
    config,
  },
  required: ["name", "key"],
  refuses: ["keys"],
  returns: keySchema,
  async run(ctx, { body: { namespace = "", name = "", key: privateKey = "", config = "" } }) {
    const key = (await ctx.keys.createKey({ namespace, name, privateKey, config })).key!;
    return keyJson(key, await relationsFor(ctx, [key]));
  },
});

export const getKey = action({
  summary: "An SSH key, without its private half",
  returns: keySchema,
  async run(ctx, { params: { id } }) {
    const key = (await ctx.keys.getKey({ id })).key!;
    return keyJson(key, await relationsFor(ctx, [key]));
  },
});

export const updateKey = action({
  summary: "Changes the configuration of an SSH key",
  changes: "key",
  body: { config },
  returns: keySchema,
  async target(ctx, { params: { id }, exchange }) {
    await checkMayChange(ctx, exchange, (await ctx.keys.getKey({ id })).key!);
  },
  async run(ctx, { params: { id }, body: { config } }) {
    const key = (await ctx.keys.updateKey({ id, config })).key!;
    return keyJson(key, await relationsFor(ctx, [key]));
  },
});

export const deleteKey = action({
  summary: "Deletes an SSH key",
  changes: "key",
  run: ({ keys }, { params: { id } }) => keys.deleteKey({ id }),
});
