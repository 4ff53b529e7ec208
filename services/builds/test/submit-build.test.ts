import { eventually } from "@ci/testkit/eventually";
import { bootBuilds, fault, manifest } from "./_suite.js";

const suite = bootBuilds();

describe("succeeds", () => {
  it("queues the build with all of its jobs", async () => {
    const build = await suite.submit(suite.users.ann, manifest, {
      tags: [" a ", "a", "", ".", " .. "],
      comment: "first",
    });
    expect(build).toMatchObject({ userId: suite.users.ann.id, number: 1, status: "queued", pinned: false, manifest });
    expect(build.tags.map((tag) => tag.name)).toEqual(["a"]);
    expect(build.trigger).toEqual({
      type: "manual",
      comment: "first",
      data: { email: "ann@example.com", username: "ann" },
    });
    const ref = { userId: build.userId, number: build.number };
    const { jobs } = await suite.as(suite.users.ann, () => suite.builds.listJobs({ ref, search: "" }));
    expect(jobs.map((job) => [job.stage, job.name, job.status])).toEqual([
      ["setup - #1", "create-driver", "queued"],
      ["make", "make.1", "queued"],
      ["test", "unit", "queued"],
    ]);
  });

  it("numbers each user's builds and uses no number twice", async () => {
    const builds = await Promise.all(Array.from({ length: 20 }, () => suite.submit(suite.users.bob)));
    expect(builds.map((build) => build.number).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, n) => n + 1),
    );
    expect(new Set(builds.map((build) => build.id)).size).toBe(20);
  });

  it("skips numbers that builds already have, even if the counter does not know of them", async () => {
    const { eve } = suite.users;
    const [first, second] = [await suite.submit(eve), await suite.submit(eve)];
    const counter = { _id: `builds/${eve.id}` as never };
    await suite
      .database()
      .collection("counters")
      .updateOne(counter, { $inc: { id: -2 } });
    expect((await suite.submit(eve)).number).toBe(first.number + 2);
    expect(second.number).toBe(first.number + 1);
  });

  it("creates the namespace, and shows the build only to its members", async () => {
    const build = await suite.submit(suite.users.ann, `namespace: fly/wheel${manifest}`);
    expect(build.namespaceId).toBeDefined();
    const ref = { userId: build.userId, number: build.number };
    expect((await suite.as(suite.users.ann, () => suite.builds.getBuild({ ref, brief: false }))).build?.id).toBe(
      build.id,
    );
    expect(await fault(suite.as(suite.users.eve, () => suite.builds.getBuild({ ref, brief: false })))).toMatchObject({
      code: "not_found",
    });
  });

  it("copies variables: the namespace's override the user's, the manifest's override both", async () => {
    const { ann } = suite.users;
    const make = (namespace: string, key: string, value: string, mask = false) =>
      suite.as(ann, () => suite.accounts.variables.createVariable({ namespace, key, value, mask }));
    await make("", "A", "user");
    await make("", "B", "user");
    await make("", "C", "user");
    await make("copies", "B", "namespace");
    await make("copies", "C", "namespace-secret", true);
    const build = await suite.submit(ann, `namespace: copies\nenv: [C=env, D=env]${manifest}`);
    const ref = { userId: build.userId, number: build.number };
    const { variables } = await suite.as(ann, () => suite.builds.listBuildVariables({ ref, search: "" }));
    expect(variables.map(({ key, value, masked }) => [key, value, masked])).toEqual([
      ["A", "user", false],
      ["B", "namespace", false],
      ["C", "env", false],
      ["D", "env", false],
    ]);
  });
});

describe("invalid", () => {
  it("one answer lists the mistakes of all fields", async () => {
    const text = "namespace: _a\ndriver: {type: ssh}\nenv: [1BAD]\n";
    const thrown = await fault(
      suite.submit(suite.users.ann, text, { tags: ["1", "2", "3", "4", "5", "6", "x".repeat(101)] }),
    );
    expect(thrown).toMatchObject({ code: "invalid" });
    expect(thrown.fields).toEqual({
      manifest: [
        "Manifest invalid driver specified ssh",
        "Manifest env invalid entry 1BAD",
        "Manifest _a: namespace: name can only contain letters, numbers, dots, dashes, and underscores, and begin with a letter or number",
      ],
      tags: ["Tags cannot exceed 5 per build", "Tags name cannot be longer than 100 characters in length"],
    });
  });

  it("rejects another user's private namespace like one that cannot exist", async () => {
    await suite.accounts.aNamespace(suite.users.ann, "hers");
    for (const name of ["hers@ann", "none@ann"]) {
      const thrown = await fault(suite.submit(suite.users.eve, `namespace: ${name}${manifest}`));
      expect(thrown.fields).toEqual({ manifest: ["Manifest cannot submit to namespace"] });
    }
  });

  it("rejects a build that has more to mask than the limit, before it creates a namespace", async () => {
    const { bob } = suite.users;
    const text = `namespace: masks${manifest}`;
    const make = (key: string, value: string, mask = true) =>
      suite.as(bob, () => suite.accounts.variables.createVariable({ namespace: "", key, value, mask }));
    for (const key of ["A", "B", "C", "D"]) await make(key, key.repeat(64 * 1024));
    await make("SHOWN", "not masked", false);
    const limit = { manifest: ["Manifest masked variables and keys cannot exceed 256 KiB; delete some of them"] };
    await suite.submit(bob);
    await make("E", "six by");
    expect((await fault(suite.submit(bob, text))).fields).toEqual(limit);
    const { namespaces } = await suite.as(bob, () => suite.accounts.namespaces.listNamespaces({ search: "" }));
    expect(namespaces).toEqual([]);
    // A variable that the manifest replaces is not masked.
    await suite.submit(bob, `env: [E=shown]${manifest}`);
  });

  it("an invalid request creates no namespace", async () => {
    await fault(suite.submit(suite.users.eve, "namespace: untouched\ndriver: {type: ssh}\n"));
    const { namespaces } = await suite.as(suite.users.eve, () =>
      suite.accounts.namespaces.listNamespaces({ search: "" }),
    );
    expect(namespaces).toEqual([]);
  });
});

describe("events", () => {
  it("publishes build.submitted with the whole record", async () => {
    const build = await suite.submit(suite.users.ann);
    await eventually(() => expect(suite.kinds(build.id)).toEqual(["build.submitted"]));
    const event = suite.events.find((candidate) => candidate.buildId === build.id)!;
    expect(event).toMatchObject({ seq: 1, actorId: suite.users.ann.id });
    expect(event.body).toMatchObject({ $case: "build", value: { id: build.id, manifest, status: "queued" } });
  });
});
