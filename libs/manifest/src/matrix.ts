import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { quoted } from "@ci/kit/rpc/fault";
import type { Complaints } from "./complaints.js";
import { nearest, suggestion } from "./nearest.js";
import { entry, type Json, list, orEmpty, type Placed, type Spec, text, type Where, wrongType } from "./spec.js";
import { isEmpty, isMapping, type Mapping, type Tree } from "./tree.js";

/** One combination of a matrix: a value for each axis. */
export type Axes = Readonly<Record<string, string>>;

const maxBuilds = fixedLimit({
  max: 50,
  about: "builds of a matrix",
  refusal: "Manifest line L, column C: matrix cannot make more than N builds",
});
/** Combinations before those in `exclude` are left out. More are refused without being made. */
const maxCombinations = fixedLimit({
  max: 1_000,
  about: "combinations of a matrix, before `exclude`",
  refusal: "Manifest line L, column C: matrix cannot make more than 50 builds",
});
const maxEntries = fixedLimit({
  max: 100,
  about: "axes of a matrix, and entries of its `include` and `exclude`",
  refusal: "Manifest line L, column C: matrix cannot have more than N entries in X",
});
const maxValueLength = fixedLimit({
  max: 255,
  about: "characters of a value in a matrix",
  refusal: "Manifest line L, column C: matrix value cannot be longer than N characters in length",
});
const axisName = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** MongoDB takes an object with this key for a value of its own. */
const reservedName = "_bsontype";
/** Messages of gRPC drop this key. */
const droppedName = "__proto__";
const propertyNames = { pattern: axisName.source, not: { enum: [reservedName, droppedName] } };
const lists = ["include", "exclude"];

const value: Spec<string> = {
  ...entry,
  read(tree, where) {
    const given = text.read(tree, where);
    if (given === undefined) return undefined;
    if (given.length <= maxValueLength && !given.includes("\0")) return given;
    const what = given.includes("\0") ? "contain NUL" : `be longer than ${maxValueLength} characters in length`;
    where.complain.refuseAt(tree.at, `matrix value cannot ${what}`);
  },
};

function isAxis(name: string, at: number, { complain }: Where): boolean {
  if (name === droppedName) complain.addAt(at, `matrix axis ${name} is reserved`);
  const matches = axisName.test(name);
  if (matches && name !== reservedName) return true;
  const what = matches ? "is reserved" : `does not match ${axisName.source}`;
  complain.refuseAt(at, `matrix axis ${quoted(name)} ${what}`);
  return false;
}

/** One entry of `include` or `exclude`. */
const combination: Spec<Axes> = {
  noun: "a mapping",
  schema: { anyOf: [{ type: "object", propertyNames, additionalProperties: text.schema }, { enum: [null, "", []] }] },
  none: {},
  read(tree, where) {
    if (tree.isNull || isEmpty(tree)) return undefined;
    if (!isMapping(tree)) return wrongType(tree, where, "a mapping");
    const entries = [...tree.value].flatMap(([name, { at, tree: given }]) => {
      const read = isAxis(name, at, where) ? value.read(given, { ...where, name }) : undefined;
      return read === undefined ? [] : [[name, read] as const];
    });
    return Object.fromEntries(entries);
  },
};

const valuesOf = <T>(read: readonly Placed<T>[] | undefined): T[] => (read ?? []).map(({ value }) => value);

function readList<T>(of: Spec<T>, mapping: Mapping, name: string, where: Where): T[] {
  const entry = mapping.get(name);
  return entry && !isEmpty(entry.tree)
    ? valuesOf(list(of).read(entry.tree, { ...where, name, example: undefined }))
    : [];
}

type AxisUse = readonly [name: string, at: number, given?: Tree];

function complainOfUnknownAxes(used: readonly AxisUse[], axes: readonly string[], place: string, complain: Complaints) {
  for (const [name, at] of used.filter(([name]) => !axes.includes(name)).slice(0, maxEntries))
    complain.addAt(at, `unknown axis "${quoted(name)}" in ${place}${suggestion(nearest(name, axes))}`, "line");
}

function complainOfUnknownValues(used: readonly AxisUse[], axes: readonly Axis[], complain: Complaints) {
  const valuesOf = new Map(axes);
  const unknown = used.flatMap(([name, , given]) => {
    const values = valuesOf.get(name);
    if (!values || typeof given?.value !== "string" || values.includes(given.value)) return [];
    return [{ name, values, at: given.at, value: given.value }];
  });
  for (const { name, values, at, value } of unknown.slice(0, maxEntries)) {
    const all = quoted(values.slice(0, maxBuilds).join(", "));
    complain.addAt(at, `"${quoted(value)}" in exclude is not one of the values of ${name}: ${all}`, "line");
  }
}

const keysIn = (list: Tree | undefined): AxisUse[] =>
  (Array.isArray(list?.value) ? (list.value as Tree[]) : []).flatMap((one) =>
    isMapping(one) ? [...one.value].map(([name, { at, tree }]) => [name, at, tree] as const) : [],
  );

type Axis = readonly [name: string, values: readonly string[]];

const product = (axes: readonly Axis[]): Axes[] =>
  axes.reduce<Axes[]>(
    (found, [name, values]) => found.flatMap((one) => values.map((value) => ({ ...one, [name]: value }))),
    [{}],
  );

const matches = (axes: Axes, pattern: Axes): boolean =>
  Object.entries(pattern).every(([name, value]) => Object.hasOwn(axes, name) && axes[name] === value);
const isSame = (a: Axes, b: Axes): boolean => matches(a, b) && matches(b, a);

function combinationsOf(mapping: Mapping, at: number, where: Where): readonly Axes[] {
  const { complain } = where;
  const names = [...mapping].filter(([name, one]) => !lists.includes(name) && isAxis(name, one.at, where));
  const axes = names
    .map(([name]) => [name, [...new Set(readList(value, mapping, name, where))]] as const)
    .filter(([, values]) => values.length > 0);
  const [included, excluded] = lists.map((name) => readList(combination, mapping, name, where));
  const tooMany = () => complain.refuseAt(at, `matrix cannot make more than ${maxBuilds} builds`);
  for (const [name, { length }] of [
    ["axes", axes],
    ["include", included!],
    ["exclude", excluded!],
  ] as const)
    if (length > maxEntries) complain.refuseAt(at, `matrix cannot have more than ${maxEntries} entries in ${name}`);
  const count = axes.reduce((product, [, { length }]) => product * length, 1);
  if (count > maxCombinations || Math.max(axes.length, included!.length, excluded!.length) > maxEntries) {
    if (count > maxCombinations) tooMany();
    return [];
  }
  const excludedKeys = keysIn(mapping.get("exclude")?.tree).filter(([name]) => axisName.test(name));
  const axisNames = names.map(([name]) => name);
  complainOfUnknownAxes(excludedKeys, axisNames, "exclude", complain);
  complainOfUnknownValues(excludedKeys, axes, complain);
  const made = axes.length === 0 ? [] : product(axes);
  const kept = made.filter((one) => !excluded!.some((pattern) => matches(one, pattern)));
  const found: Axes[] = [...kept];
  for (const one of included!) if (!found.some((other) => isSame(one, other))) found.push(one);
  if (found.length > maxBuilds) tooMany();
  if (made.length > 0 && found.length === 0) complain.refuseAt(at, "matrix excludes every build");
  return found.length > maxBuilds ? [] : found;
}

const listed = (description: string): Json => ({
  description,
  examples: [[{ NODE: "24" }]],
  ...orEmpty({ type: "array", items: combination.schema }),
});

export const matrix: Spec<readonly Axes[]> = {
  noun: "a mapping",
  schema: {
    type: "object",
    properties: {
      include: listed("Further combinations, each with its own axes"),
      exclude: listed("Leaves out the combinations that have all of an entry's values"),
    },
    propertyNames,
    additionalProperties: orEmpty({ type: "array", items: value.schema }),
  },
  none: [],
  read: (tree, where) =>
    isMapping(tree) ? combinationsOf(tree.value, tree.at, where) : wrongType(tree, where, "a mapping"),
};

export const placeholder = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

const fill = (text: string, axes: Axes): string =>
  text.replace(placeholder, (whole, name) => (Object.hasOwn(axes, name) ? axes[name]! : whole));

function filled(tree: Tree, axes: Axes): Tree {
  const { at, value } = tree;
  if (typeof value === "string") return { ...tree, value: fill(value, axes) };
  if (isMapping(tree)) return { at, value: filledMapping(tree.value, axes) };
  return Array.isArray(value) ? { at, value: value.map((one: Tree) => filled(one, axes)) } : tree;
}

const filledMapping = (mapping: Mapping, axes: Axes, only?: string): Mapping =>
  new Map(
    [...mapping].map(([name, { at, tree }]) => [
      name,
      { at, tree: only === undefined || name === only ? filled(tree, axes) : tree },
    ]),
  );

const namesFilled = (tree: Tree, axes: Axes): Tree =>
  Array.isArray(tree.value)
    ? {
        at: tree.at,
        value: tree.value.map((one: Tree) =>
          isMapping(one) ? { at: one.at, value: filledMapping(one.value, axes, "name") } : one,
        ),
      }
    : tree;

interface MatrixKey {
  /** The part of the manifest that is made from it. */
  readonly part: "driver" | "services" | "caches";
  readonly fill: (tree: Tree, axes: Axes) => Tree;
}

/** The keys of a manifest in which axes are replaced. */
export const matrixKeys: Readonly<Record<string, MatrixKey>> = {
  driver: { part: "driver", fill: filled },
  services: { part: "services", fill: filled },
  cache: { part: "caches", fill: namesFilled },
};

/** Returns the values of these keys for one combination. */
export const filledKeys = (root: Mapping, axes: Axes): Mapping =>
  new Map(
    [...root].flatMap(([name, { at, tree }]) =>
      Object.hasOwn(matrixKeys, name) ? [[name, { at, tree: matrixKeys[name]!.fill(tree, axes) }]] : [],
    ),
  );

export function complainOfCacheNames(root: Mapping, all: readonly Axes[], complain: Complaints): void {
  const caches = root.get("cache")?.tree.value;
  const used = (Array.isArray(caches) ? (caches as Tree[]) : []).flatMap((one) => {
    const { at, value } = (isMapping(one) && one.value.get("name")?.tree) || { at: 0, value: null };
    return typeof value === "string" ? [...value.matchAll(placeholder)].map(([, name]) => [name!, at] as const) : [];
  });
  const axes = [...new Set(all.flatMap(Object.keys))];
  complainOfUnknownAxes(used, axes, "the name of a cache", complain);
}
