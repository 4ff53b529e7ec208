import { quoted } from "@ci/kit/rpc/fault";
import { isAlias, isMap, isScalar, isSeq, type Node, type Pair, type YAMLMap } from "yaml";

/** A parsed document: scalars as their source text, aliases and merge keys resolved, `null` for no value. */
export interface Tree {
  /** Offset in the text; of an alias, that of the value it stands for. */
  readonly at: number;
  readonly value: string | null | readonly Tree[] | Mapping;
  /** In a list, a null is its source text. */
  readonly isNull?: boolean;
}

export type Mapping = ReadonlyMap<string, Entry>;

export interface Entry {
  /** Offset of the key. */
  readonly at: number;
  readonly tree: Tree;
}

export const isMapping = (tree: Tree): tree is Tree & { readonly value: Mapping } => tree.value instanceof Map;

/** Reports whether a value is null or has no content. An empty value counts as a missing one. */
export function isEmpty({ value }: Tree): boolean {
  if (value === null) return true;
  return value instanceof Map ? value.size === 0 : (value as string | readonly Tree[]).length === 0;
}

/** The reason why a text cannot be read, with its offset. */
export class YamlError extends Error {
  constructor(
    reason: string,
    readonly offset: number,
    readonly advice?: string,
  ) {
    super(reason);
  }
}

interface TreeLimits {
  readonly maxExpansions: number;
  readonly maxExpandedSize: number;
}

interface Anchored {
  readonly tree: Tree;
  readonly expansions: number;
  readonly size: number;
}

interface Walk {
  readonly limits: TreeLimits;
  /** Undefined while the node itself is being read: an alias to it would be endless. */
  readonly anchors: Map<string, Anchored | undefined>;
  expansions: number;
  size: number;
  expandedSize: number;
}

const nothing = new Set(["", "~", "null", "Null", "NULL"]);
const offsetOf = (node: Node | null): number => node?.range?.[0] ?? 0;

function expand(walk: Walk, name: string, offset: number): Tree {
  const shown = quoted(name);
  if (!walk.anchors.has(name)) throw new YamlError(`Unresolved alias ${shown}`, offset, "if it is a text, quote it");
  const anchored = walk.anchors.get(name);
  if (!anchored) throw new YamlError(`Alias ${shown} stands for something it is part of`, offset);
  walk.expansions += 1 + anchored.expansions;
  walk.size += anchored.size;
  walk.expandedSize += anchored.size;
  const { maxExpansions, maxExpandedSize } = walk.limits;
  if (walk.expansions > maxExpansions) throw new YamlError(`More than ${maxExpansions} alias expansions`, offset);
  if (walk.expandedSize > maxExpandedSize) throw new YamlError("Aliases expand to too much text", offset);
  return anchored.tree;
}

function mergeInto(map: Map<string, Entry>, merged: Tree, offset: number): void {
  for (const source of Array.isArray(merged.value) ? (merged.value as Tree[]) : [merged]) {
    if (source.value === null) continue;
    if (!isMapping(source)) throw new YamlError("Only mappings can be merged", offset);
    for (const [key, entry] of source.value) if (!map.has(key)) map.set(key, entry);
  }
}

const isMerge = ({ key }: Pair): boolean => isScalar(key) && key.type === "PLAIN" && key.source === "<<";

const isNothing = (node: Node): boolean => isScalar(node) && node.type === "PLAIN" && nothing.has(node.source ?? "");

function noValue({ anchors }: Walk, node: Node | null, at: number): Tree {
  const tree = { at, value: null };
  if (isScalar(node) && node.anchor) anchors.set(node.anchor, { tree, expansions: 0, size: 1 });
  return tree;
}

function mapping(walk: Walk, node: YAMLMap): Mapping {
  const map = new Map<string, Entry>();
  let merged: Entry | undefined;
  for (const pair of node.items as Pair<Node, Node | null>[]) {
    const at = offsetOf(pair.key);
    const merge = isMerge(pair);
    const { value: key } = convert(walk, pair.key);
    const value = pair.value;
    const tree = value && !isNothing(value) ? convert(walk, value) : noValue(walk, value, at);
    if (typeof key !== "string") throw new YamlError("A key must be a string", at);
    if (merge ? merged : map.has(key)) throw new YamlError(`Map keys must be unique ("${quoted(key)}")`, at);
    if (merge) merged = { at, tree };
    else map.set(key, { at, tree });
  }
  if (merged) mergeInto(map, merged.tree, merged.at);
  return map;
}

function valueIn(walk: Walk, node: Node): Tree["value"] {
  walk.size += 1;
  if (isMap(node)) return mapping(walk, node);
  if (isSeq(node)) return node.items.map((item) => convert(walk, item as Node));
  // A lone surrogate cannot be stored or sent as UTF-8.
  const text = (isScalar(node) ? (node.source ?? "") : "").replace(/\p{Surrogate}/gu, "\uFFFD");
  walk.size += text.length;
  return text;
}

const content = (walk: Walk, node: Node): Tree => ({
  at: offsetOf(node),
  value: valueIn(walk, node),
  ...(isNothing(node) ? { isNull: true } : {}),
});

function convert(walk: Walk, node: Node): Tree {
  if (isAlias(node)) return expand(walk, node.source, offsetOf(node));
  if (!node.anchor) return content(walk, node);
  const { expansions, size } = walk;
  walk.anchors.set(node.anchor, undefined);
  const tree = content(walk, node);
  walk.anchors.set(node.anchor, { tree, expansions: walk.expansions - expansions, size: walk.size - size });
  return tree;
}

/** Converts a composed document, in linear time. Throws a YamlError for duplicate keys and excessive aliases. */
export const toTree = (root: Node | null, limits: TreeLimits): Tree =>
  root
    ? convert({ limits, anchors: new Map(), expansions: 0, size: 0, expandedSize: 0 }, root)
    : { at: 0, value: null };
