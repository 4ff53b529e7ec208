import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { Complaints } from "./complaints.js";
import { type Axes, matrixKeys, placeholder } from "./matrix.js";
import { isMapping, type Mapping, type Tree } from "./tree.js";

const maxValues = fixedLimit({
  max: 20_000,
  about: "values in `driver`, `services` and `cache` of all builds of a matrix together",
  refusal:
    "Manifest line L, column C: matrix cannot make more than N values in driver, services and cache; use fewer combinations",
});
const maxCharacters = fixedLimit({
  max: 6 * 1024 ** 2,
  about: "characters in `driver`, `services` and `cache` of all builds of a matrix together",
  refusal:
    "Manifest line L, column C: matrix cannot make more than N characters in driver, services and cache; use fewer combinations",
});

interface Size {
  values: number;
  characters: number;
  readonly placeholders: Map<string, number>;
}

/** Adds the size of a tree as it is written. What an alias stands for counts each time; nothing beyond the limit does. */
function addSize(tree: Tree, size: Size): void {
  size.values += 1;
  if (size.values > maxValues) return;
  const { value } = tree;
  if (isMapping(tree)) for (const [, entry] of tree.value) addSize(entry.tree, size);
  else if (Array.isArray(value)) for (const one of value as Tree[]) addSize(one, size);
  else if (typeof value === "string") {
    size.characters += value.length;
    for (const [use] of value.matchAll(placeholder)) size.placeholders.set(use, (size.placeholders.get(use) ?? 0) + 1);
  }
}

const charactersWith = (axes: Axes, { characters, placeholders }: Size): number =>
  Object.entries(axes).reduce((sum, [name, value]) => {
    const use = `\${${name}}`;
    return sum + (placeholders.get(use) ?? 0) * (value.length - use.length);
  }, characters);

/** Complains if the combinations of a matrix make too much of a manifest, without making it. Reports whether they do. */
export function complainOfSize(root: Mapping, all: readonly Axes[], complain: Complaints): boolean {
  const size: Size = { values: 0, characters: 0, placeholders: new Map() };
  for (const name of Object.keys(matrixKeys)) {
    const entry = root.get(name);
    if (entry) addSize(entry.tree, size);
  }
  const characters = all.reduce((sum, axes) => sum + charactersWith(axes, size), 0);
  const what = "in driver, services and cache; use fewer combinations";
  const at = root.get("matrix")?.tree.at ?? 0;
  if (size.values * all.length > maxValues)
    complain.refuseAt(at, `matrix cannot make more than ${maxValues} values ${what}`);
  else if (characters > maxCharacters)
    complain.refuseAt(at, `matrix cannot make more than ${maxCharacters} characters ${what}`);
  else return false;
  return true;
}
