import { isAlias, isMap, isScalar, isSeq, type Node, type Pair, type YAMLMap } from "yaml";

/** A parsed document: scalars as their source text, aliases and merge keys resolved, `null` for no value. */
export type Tree = string | null | Tree[] | Map<string, Tree>;

/** The reason why a text cannot be read, with its offset. */
export class YamlError extends Error {
  constructor(
    reason: string,
    readonly offset: number,
  ) {
    super(reason);
  }
}

export interface AliasLimits {
  readonly maxExpansions: number;
  readonly maxExpandedSize: number;
}

interface Anchored {
  readonly tree: Tree;
  readonly expansions: number;
  readonly size: number;
}

interface Walk {
  readonly limits: AliasLimits;
  /** Undefined while the node itself is being read: an alias to it would be endless. */
  readonly anchors: Map<string, Anchored | undefined>;
  expansions: number;
  size: number;
  expandedSize: number;
}

const nothing = new Set(["", "~", "null", "Null", "NULL"]);
const offsetOf = (node: Node | null): number => node?.range?.[0] ?? 0;

function expand(walk: Walk, name: string, offset: number): Tree {
  if (!walk.anchors.has(name)) throw new YamlError(`Unresolved alias ${name}`, offset);
  const anchored = walk.anchors.get(name);
  if (!anchored) throw new YamlError(`Alias ${name} stands for something it is part of`, offset);
  walk.expansions += 1 + anchored.expansions;
  walk.size += anchored.size;
  walk.expandedSize += anchored.size;
  const { maxExpansions, maxExpandedSize } = walk.limits;
  if (walk.expansions > maxExpansions) throw new YamlError(`More than ${maxExpansions} alias expansions`, offset);
  if (walk.expandedSize > maxExpandedSize) throw new YamlError("Aliases expand to too much text", offset);
  return anchored.tree;
}

function mergeInto(map: Map<string, Tree>, merged: Tree, offset: number): void {
  for (const source of Array.isArray(merged) ? merged : [merged]) {
    if (!(source instanceof Map)) throw new YamlError("Only mappings can be merged", offset);
    for (const [key, value] of source) if (!map.has(key)) map.set(key, value);
  }
}

const isMerge = ({ key }: Pair): boolean => isScalar(key) && key.type === "PLAIN" && key.source === "<<";

function mapping(walk: Walk, node: YAMLMap): Tree {
  const map = new Map<string, Tree>();
  let merged: { tree: Tree; offset: number } | undefined;
  for (const pair of node.items as Pair<Node, Node | null>[]) {
    const offset = offsetOf(pair.key);
    const merge = isMerge(pair);
    const key = convert(walk, pair.key);
    const value = pair.value;
    const empty = isScalar(value) && value.type === "PLAIN" && nothing.has(value.source ?? "");
    const tree = value ? convert(walk, value) : null;
    // No key that we know is a list or a mapping.
    if (typeof key !== "string") continue;
    if (merge ? merged : map.has(key)) throw new YamlError("Map keys must be unique", offset);
    if (merge) merged = { tree, offset };
    else map.set(key, empty ? null : tree);
  }
  if (merged) mergeInto(map, merged.tree, merged.offset);
  return map;
}

function content(walk: Walk, node: Node): Tree {
  walk.size += 1;
  if (isMap(node)) return mapping(walk, node);
  if (isSeq(node)) return node.items.map((item) => convert(walk, item as Node));
  // A lone surrogate cannot be stored or sent as UTF-8.
  const text = (isScalar(node) ? (node.source ?? "") : "").replace(/\p{Surrogate}/gu, "\uFFFD");
  walk.size += text.length;
  return text;
}

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
export const toTree = (root: Node | null, limits: AliasLimits): Tree =>
  root ? convert({ limits, anchors: new Map(), expansions: 0, size: 0, expandedSize: 0 }, root) : null;
