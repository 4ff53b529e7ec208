import { bootBuilds, fault, manifest } from "./_suite.js";

// Variables that are given with the request for a build.

const suite = bootBuilds();
const env = `env: [SHARED=manifest]${manifest}`;

const submit = async (variables: Record<string, string>, text = env) =>
  (
    await suite.as(suite.users.ann, () =>
      suite.builds.submitBuild({ manifest: text, comment: "", tags: [], variables }),
    )
  ).build!;

const restart = async (number: number, variables: Record<string, string>) =>
  (
    await suite.as(suite.users.ann, () =>
      suite.builds.restartBuild({ ref: { userId: suite.users.ann.id, number }, restartOf: "http://old", variables }),
    )
  ).build!;

/** Ends the build at once. Returns the values that its runner got. */
async function run(): Promise<Record<string, [string, boolean]>> {
  const assignment = (await suite.claim())!;
  await suite.finish(assignment, 0, "failed");
  return Object.fromEntries(assignment.variables.map(({ key, value, masked }) => [key, [value, masked]]));
}

const listed = async (number: number) => {
  const ref = { userId: suite.users.ann.id, number };
  const { variables } = await suite.as(suite.users.ann, () => suite.builds.listBuildVariables({ ref, search: "" }));
  return Object.fromEntries(variables.map(({ key, value, variableId }) => [key, [value, variableId]]));
};

beforeAll(async () => {
  const stored = { namespace: "", key: "SECRET", value: "stored secret", mask: true };
  await suite.as(suite.users.ann, () => suite.accounts.variables.createVariable(stored));
});

describe("succeeds", () => {
  it("parameters replace stored variables and the manifest's, and a masked namesake stays masked", async () => {
    const { number } = await submit({ SHARED: "given", SECRET: "given secret", EMPTY: "" });
    expect(await listed(number)).toEqual({
      SHARED: ["given", undefined],
      SECRET: ["xxxxxx", undefined],
      EMPTY: ["", undefined],
    });
    expect(await run()).toEqual({
      SHARED: ["given", false],
      SECRET: ["given secret", true],
      EMPTY: ["", false],
    });
  });

  it("a restart keeps the parameters of the old build, and replaces those that it is given", async () => {
    const { number } = await submit({ SHARED: "first", SECRET: "first secret" });
    await run();
    const again = await restart(number, {});
    expect(await run()).toEqual({ SHARED: ["first", false], SECRET: ["first secret", true] });
    await restart(again.number, { SECRET: "second secret", NEW: "more" });
    expect(await run()).toEqual({ SHARED: ["first", false], SECRET: ["second secret", true], NEW: ["more", false] });
  });

  it("a restart reads stored variables and the manifest's again", async () => {
    const { number } = await submit({});
    await run();
    await restart(number, {});
    expect(await run()).toEqual({ SHARED: ["manifest", false], SECRET: ["stored secret", true] });
  });
});

it("a build in a namespace that does not exist yet inherits from those above it", async () => {
  const { ann } = suite.users;
  const store = (key: string, namespace: string) =>
    suite.as(ann, () =>
      suite.accounts.variables.createVariable({ namespace, key, value: `of ${namespace}`, mask: false }),
    );
  await Promise.all([store("TOP", "top"), store("MID", "top/mid"), store("TOP", "top/mid")]);
  for (let time = 0; time < 2; time++) {
    const { number } = await submit({}, `namespace: top/mid/new/er${manifest}`);
    expect(await listed(number)).toMatchObject({
      TOP: ["of top/mid", expect.any(Number)],
      MID: ["of top/mid", expect.any(Number)],
    });
    await run();
  }
});

describe("invalid", () => {
  const wrong: [string, Record<string, string>, string][] = [
    ["a key that no shell accepts", { "1$(id)": "x" }, "Variables key 1$(id) does not match ^[A-Za-z_][A-Za-z0-9_]*$"],
    ["a long key", { ["K".repeat(256)]: "x" }, "Variables key cannot be longer than 255 characters in length"],
    ["a value with NUL", { KEY: "a\0b" }, "Variables value of KEY cannot contain NUL"],
    ["a long value", { KEY: "x".repeat(65_537) }, "Variables value of KEY cannot be longer than 65536 bytes"],
    [
      "too many",
      Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`K${i}`, ""])),
      "Variables cannot exceed 100 per build",
    ],
    [
      "too much",
      Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`K${i}`, "x".repeat(65_000)])),
      "Variables cannot exceed 1048576 bytes per build",
    ],
    [
      "a short masked value",
      { SECRET: "ab" },
      "Variables value of SECRET cannot be shorter than 6 characters in length",
    ],
  ];

  it.each(wrong)("%s", async (_title, variables, complaint) => {
    expect(await fault(submit(variables))).toMatchObject({ code: "invalid", fields: { variables: [complaint] } });
    const request = { manifest: env, tags: [], variables };
    const { errors } = await suite.as(suite.users.ann, () => suite.builds.checkManifest(request));
    expect(errors.map(({ message }) => message)).toEqual([complaint]);
  });

  it("masked parameters count for the limit of what a build masks", async () => {
    const stored = ["A", "B", "C", "D", "E"].map((key) => ({ namespace: "", key, value: "secret", mask: true }));
    for (const one of stored) await suite.as(suite.users.ann, () => suite.accounts.variables.createVariable(one));
    const variables = Object.fromEntries(stored.map(({ key }) => [key, "x".repeat(60_000)]));
    const complaint = { manifest: ["Manifest masked variables and keys cannot exceed 256 KiB; delete some of them"] };
    expect(await fault(submit(variables))).toMatchObject({ code: "invalid", fields: complaint });
  });
});
