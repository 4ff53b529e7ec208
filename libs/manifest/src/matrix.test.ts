// biome-ignore-all lint/suspicious/noTemplateCurlyInString: axes are replaced in texts of this form
import { readManifest, variantOf } from "./manifest.js";

const limits = { maxBytes: 1024 * 1024, maxStages: 100, maxJobs: 500 };
const read = (matrix: string, driver = "{type: docker, image: node, workspace: '/${NODE}-${OS}'}") =>
  readManifest(
    `driver: ${driver}\nenv: [NODE=env, A=1]\nmatrix: ${matrix}\njobs: [{commands: ['echo \${NODE}']}]`,
    limits,
  );

function manifestsOf(...args: Parameters<typeof read>) {
  const reading = read(...args);
  if (!("manifest" in reading)) throw new Error(JSON.stringify(reading.complaints));
  return (reading.manifest.matrix ?? []).map((variant) => ({
    ...variantOf(reading.manifest, variant),
    axes: variant.axes,
  }));
}
const complaintsOf = (...args: Parameters<typeof read>) => {
  const reading = read(...args);
  return reading.complaints.map(({ message }) => message);
};

test("makes one manifest for each combination, in the order of the axes", () => {
  const made = manifestsOf("{NODE: [20, '22'], OS: [alpine, slim]}");
  expect(made.map(({ driver }) => driver.workspace)).toEqual(["/20-alpine", "/20-slim", "/22-alpine", "/22-slim"]);
  expect(made[3]!.env).toEqual([
    { key: "A", value: "1" },
    { key: "NODE", value: "22" },
    { key: "OS", value: "slim" },
  ]);
  expect(made[3]!.jobs[0]!.commands).toEqual(["echo ${NODE}"]);
});

test("exclude leaves out what matches, include adds; what is no axis stays as it is written", () => {
  const made = manifestsOf(
    "{NODE: [20, 22], OS: [a, b], exclude: [{NODE: 20}, {NODE: 22, OS: b}], include: [{NODE: 24}, {NODE: 22, OS: a}]}",
  );
  expect(made.map(({ axes }) => axes)).toEqual([{ NODE: "22", OS: "a" }, { NODE: "24" }]);
  expect(made.map(({ driver }) => driver.workspace)).toEqual(["/22-a", "/24-${OS}"]);
});

test.each(["", "{}", "[]", "null", "{NODE: []}", "{NODE:, include: }"])("%j is no matrix", (matrix) => {
  const reading = read(matrix);
  expect("manifest" in reading && reading.manifest.matrix).toBeUndefined();
});

test.each([
  ["[NODE]", [expect.stringContaining("matrix must be a mapping, not a list; for example {NODE: [20, 22], OS: ")]],
  ["{NODE: 20}", ["Manifest line 3, column 16: NODE must be a list, not a string"]],
  ["{NODE: [{a: b}]}", [expect.stringContaining("NODE[0] must be a string, not a mapping")]],
  ["{'$(id)': [1]}", ["Manifest line 3, column 10: matrix axis $(id) does not match ^[A-Za-z_][A-Za-z0-9_]*$"]],
  ["{_bsontype: [1]}", ["Manifest line 3, column 10: matrix axis _bsontype is reserved"]],
  ["{NODE: [1], __proto__: [2]}", ["Manifest line 3, column 21: matrix axis __proto__ is reserved"]],
  ["{NODE: [1], include: [{__proto__: 1}]}", ["Manifest line 3, column 32: matrix axis __proto__ is reserved"]],
  ["{NODE: [1], include: [{_bsontype: 1}]}", ["Manifest line 3, column 32: matrix axis _bsontype is reserved"]],
  [
    "{NODE: [1], include: [{A-B: 1}]}",
    ["Manifest line 3, column 32: matrix axis A-B does not match ^[A-Za-z_][A-Za-z0-9_]*$"],
  ],
  ["{NODE: [1], exclude: [{NODE: 1}]}", ["Manifest line 3, column 9: matrix excludes every build"]],
  [
    `{NODE: [${"x".repeat(256)}]}`,
    ["Manifest line 3, column 17: matrix value cannot be longer than 255 characters in length"],
  ],
  [
    `{N: [${Array.from({ length: 51 }, (_, i) => i)}]}`,
    ["Manifest line 3, column 9: matrix cannot make more than 50 builds"],
  ],
  [
    `{include: [${Array.from({ length: 101 }, (_, i) => `{N: ${i}}`)}]}`,
    ["Manifest line 3, column 9: matrix cannot have more than 100 entries in include"],
  ],
  [
    "{NODE: [1, 2], exclude: [{NODE: 1}, {NDOE: 2}]}",
    ['Manifest line 3: unknown axis "NDOE" in exclude; did you mean "NODE"?'],
  ],
  [
    "{OS: [alpine, slim], exclude: [{OS: alpin}, {OS: x}, {OS: slim}]}",
    [
      'Manifest line 3: "alpin" in exclude is not one of the values of OS: alpine, slim',
      'Manifest line 3: "x" in exclude is not one of the values of OS: alpine, slim',
    ],
  ],
  [
    "{A: [1], exclude: [{B: 1}, {a: 1}]}",
    ['Manifest line 3: unknown axis "B" in exclude', 'Manifest line 3: unknown axis "a" in exclude; did you mean "A"?'],
  ],
  ["{NODE: [1], exclude: [{os: b}], include: [{OS: a}]}", ['Manifest line 3: unknown axis "os" in exclude']],
])("complains about %j", (matrix, complaints) => {
  expect(complaintsOf(matrix)).toEqual(complaints);
});

test("in the name of a cache, what looks like an axis must be one of a combination; stored manifests are read as before", () => {
  const named = (name: string, matrix: string, isStored = false) => {
    const cache = `cache:\n- paths: [b]\n  name: ${name}\n`;
    const reading = readManifest(`driver: {type: os}\nmatrix: ${matrix}\n${cache}`, { ...limits, isStored });
    return reading.complaints.map(({ message }) => message);
  };
  const axes = "{NODE: [1], include: [{NODE: 2, OS: a}]}";
  const unknown = 'Manifest line 5: unknown axis "NDOE" in the name of a cache; did you mean "NODE"?';
  expect(named("npm-${NODE}-${OS}-$NDOE", axes)).toEqual([]);
  expect(named("npm-${NDOE}", "")).toEqual([]);
  expect(named("npm-${NDOE}", axes)).toEqual([unknown]);
  expect(named("npm-${NDOE}", axes, true)).toEqual([]);
  expect(named("npm", "{NODE: [1, 2], exclude: [{NDOE: 2}]}", true)).toEqual([]);
  expect(named("npm", "{NODE: [1, 2], exclude: [{NODE: 3}]}", true)).toEqual([]);
  expect(named("npm", "{__proto__: [1]}", true)).toEqual([]);
});

test("10^6 and 10^30 combinations are refused without being made", () => {
  const axes = (count: number) =>
    `{${Array.from({ length: count }, (_, i) => `A${i}: [0,1,2,3,4,5,6,7,8,9]`).join(", ")}}`;
  const refusal = ["Manifest line 3, column 9: matrix cannot make more than 50 builds"];
  const before = process.memoryUsage().heapUsed;
  expect([complaintsOf(axes(6)), complaintsOf(axes(30))]).toEqual([refusal, refusal]);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(100 * 1024 ** 2);
});

test("each combination's driver is checked", () => {
  const driver = "{type: docker, image: x, workspace: '/a/${W}'}";
  expect(complaintsOf("{W: [ok, '..']}", driver)).toEqual(["Manifest driver docker invalid workspace /a/.."]);
  expect(complaintsOf("{T: [docker, ssh]}", "{type: '${T}', image: x, workspace: /b}")).toEqual([
    "Manifest invalid driver specified ssh",
  ]);
  const image = "{type: docker, image: 'node:${NODE}', workspace: /b}";
  expect(complaintsOf("{NODE: [20, 22]}", image)).toEqual([]);
  expect(complaintsOf("{NODE: [20, A B], include: [{OS: a}]}", image)).toEqual([
    'Manifest line 1, column 31: "node:A B" is not the name of an image',
    'Manifest line 1, column 31: "node:${NODE}" is not the name of an image',
  ]);
});

describe("what all combinations make together is limited", () => {
  const count = (length: number, of: (n: number) => unknown = (n) => n) => Array.from({ length }, (_, n) => of(n));
  const complaintsOn = (matrix: string, rest: string) => {
    const reading = readManifest(`driver: {type: docker, image: a, workspace: /b}\nmatrix: ${matrix}\n${rest}`, limits);
    return "manifest" in reading ? reading.manifest.matrix!.length : reading.complaints.map(({ message }) => message);
  };
  const fifty = `{B: [${count(50)}]}`;
  const long = `{B: [${count(50)}], A: ["${"x".repeat(255)}"]}`;
  const services = (command: string) => `services: [{name: s, image: a, command: ${command}}]`;
  const aliases = (list: string) => `[&x ${list}, ${count(99, () => "*x")}]`;
  const more = (what: string) => [
    `Manifest line 2, column 9: matrix cannot make more than ${what} in driver, services and cache; use fewer combinations`,
  ];

  test("in characters", () => {
    expect(complaintsOn(long, services(aliases(`"${"${A}".repeat(1_500)}"`)))).toEqual(more("6291456 characters"));
    // 50 * 255 * 493 and the rest are just below the limit, which names that are no axes do not count for.
    expect(complaintsOn(long, services(`["${"${A}".repeat(493)}"]`))).toBe(50);
    expect(complaintsOn(long, services(`["${"${A}".repeat(494)}"]`))).toEqual(more("6291456 characters"));
    expect(complaintsOn(long, services(`["${"${C}".repeat(494)}"]`))).toBe(50);
  });

  test("in values", () => {
    const cache = (paths: number) => `cache: [{name: c, paths: [${count(paths, () => "a")}]}]`;
    // Below the driver, which is 4 values, are the list, its mapping, the name, and the list of paths.
    expect(complaintsOn(fifty, cache(401))).toEqual(more("20000 values"));
    expect(complaintsOn(fifty, cache(393))).toEqual(more("20000 values"));
    expect(complaintsOn(fifty, cache(392))).toEqual([expect.stringContaining("paths cannot have more than 50")]);
  });

  test("in entries of a service's env", () => {
    const services = (entries: number) => `services: [{name: s, image: a, env: [${count(entries, (n) => `A${n}=`)}]}]`;
    expect(complaintsOn(fifty, services(1_980))).toEqual(more("20000 values"));
    expect(complaintsOn(fifty, services(390))).toBe(50);
  });

  test.each(["command", "env"])("too many services are not read with each %s", (key) => {
    const service = `{name: s, image: a, ${key}: [${count(1_000, (n) => `A${n}=`)}]}`;
    const refusal = ["Manifest line 3, column 15: cannot have more than 10 services"];
    expect(complaintsOn(fifty, `services: ${aliases(service)}`)).toEqual(refusal);
  });

  test("a manifest of almost 1 MiB with 50 combinations is read, as are many services", () => {
    const jobs = count(490, () => `- {commands: [${count(100, () => "echo hello world")}]}\n`).join("");
    const names = count(10, (n) => `{name: s${n}, image: "a:\${B}", env: [${count(30, (n) => `'A${n}=\${B}'`)}]}`);
    expect(complaintsOn(fifty, `services: [${names}]\njobs:\n${jobs}`)).toBe(50);
  });
});
