import { quoted } from "@ci/kit/rpc/fault";
import { CST } from "yaml";
import { YamlError } from "./tree.js";

const types = ["str", "int", "float", "bool", "null", "seq", "map", "binary", "timestamp", "set", "omap", "pairs"];
const ownTags = new Set(types.flatMap((type) => [`!!${type}`, `!<tag:yaml.org,2002:${type}>`]));

const quoteAll = "quote all of the value";

function adviceFor(properties: readonly CST.SourceToken[], value: CST.Token | null | undefined): string {
  if (value && value.type !== "scalar") return quoteAll;
  const sources = properties.filter(({ type }) => type !== "comment").map(({ source }) => source);
  const text = `${sources.join("")}${value?.source ?? ""}`.trim();
  return /\p{Cc}/u.test(text) || quoted(text) !== text ? quoteAll : `quote it: '${text.replaceAll("'", "''")}'`;
}

function refuseTag(before: readonly CST.SourceToken[], value: CST.Token | null | undefined, isKey: boolean): void {
  const at = before.findIndex(({ type, source }) => type === "tag" && !ownTags.has(source));
  if (at < 0) return;
  const { source, offset } = before[at]!;
  if (!isKey && CST.isCollection(value))
    throw new YamlError(`Unknown tag ${quoted(source)}`, offset, "manifests have no tags");
  const advice = isKey ? quoteAll : adviceFor(before.slice(at), value);
  throw new YamlError("A text cannot begin with !", offset, advice);
}

function refuseIn({ start, key, sep, value }: CST.CollectionItem): void {
  refuseTag(start, sep ? key : value, sep !== undefined);
  if (sep) refuseTag(sep, value, false);
  for (const token of [key, value]) if (CST.isCollection(token)) for (const item of token.items) refuseIn(item);
}

/**
 * Refuses tags that are not YAML's own, as they are written. Without this, `! grep x` would run `grep x`, and
 * `path: !docs/**` would be empty.
 */
export function refuseTags(tokens: readonly CST.Token[]): void {
  for (const token of tokens) {
    if (token.type === "directive" && token.source.startsWith("%TAG"))
      throw new YamlError("Unexpected %TAG", token.offset, "manifests have no tags");
    if (token.type === "document") refuseIn(token);
  }
}
