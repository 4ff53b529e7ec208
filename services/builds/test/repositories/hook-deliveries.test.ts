import { randomUUID } from "node:crypto";
import { eventually } from "@ci/testkit/eventually";
import type { Answer } from "@ci/testkit/receiver";
import { fromGithub, fromGitlab, github } from "../_hook-payloads.js";
import { fault } from "../_suite.js";
import { bootHooks, type Hooked, manifest, secret } from "./_hooks.js";

let answer: Answer = { status: 201 };
let intercept: (path: string) => Answer | undefined = () => undefined;
const { suite, hooked, deliveriesOf, server } = bootHooks(
  { hookPausesMs: [20, 20] },
  { answer: () => answer, before: ({ url }) => intercept(url!) },
);
beforeEach(() => {
  answer = { status: 201 };
  intercept = () => undefined;
});
const last = async (hook: Hooked) => (await deliveriesOf(hook))[0]!;
const refOf = ({ namespace, record }: Hooked, id: number) => ({
  ...{ namespaceId: namespace.id, repositoryId: record.id, id },
});
const redeliver = async (hook: Hooked, id: number) =>
  (await suite.as(suite.users.ann, () => suite.repositories.redeliverHook(refOf(hook, id)))).delivery!;

describe("succeeds", () => {
  it("lists what came and what it made, newest first", async () => {
    const hook = await hooked();
    const sha = await hook.git.commit({ ".service-ci/a.yml": manifest, ".service-ci/b.yml": manifest });
    const [first, second] = [randomUUID(), randomUUID()];
    await hook.send(fromGithub("ping", { zen: "x" }, secret, first));
    const builds = await hook.push({ sha }, second);
    const [pushed, pinged] = await deliveriesOf(hook);
    const common = { repositoryId: hook.record.id, createdAt: expect.any(Date), redeliveryOf: undefined };
    expect(pushed).toEqual({
      ...common,
      id: pinged!.id + 1,
      deliveryId: second,
      event: "push",
      ref: "refs/heads/main",
      sha,
      status: "built",
      reasons: [],
      builds,
    });
    expect(pinged).toMatchObject({
      ...common,
      ...{ deliveryId: first, event: "ping", ref: undefined, sha: undefined, status: "skipped", builds: [] },
      reasons: ["the event ping makes no build"],
    });
    const request = refOf(hook, pushed!.id);
    expect(await suite.as(suite.users.ann, () => suite.repositories.getHookDelivery(request))).toEqual({
      delivery: pushed,
    });
  });

  it("says why a commit made nothing", async () => {
    const hook = await hooked();
    await hook.push({ sha: await hook.git.commit({ "README.md": "x" }) });
    expect(await last(hook)).toMatchObject({ status: "skipped", reasons: ["no manifest at this commit"] });
    await hook.push({ sha: await hook.git.commit({ ".service-ci.yml": "driver: {type: submarine}\nx: y" }) });
    expect(await last(hook)).toMatchObject({
      status: "failed",
      reasons: ['Manifest line 2: unknown key "x"', "Manifest invalid driver specified submarine"],
    });
    const headers = { "x-github-event": "push", "x-github-delivery": "", "content-type": "text/plain" };
    const { body } = fromGithub("push", {}, secret, "");
    const signed = fromGithub("push", {}, secret, "other").headers["x-hub-signature-256"]!;
    await hook.send({ headers: { ...headers, "x-hub-signature-256": signed }, body });
    expect(await last(hook)).toMatchObject({
      status: "skipped",
      reasons: ["the payload names no commit of a branch or tag"],
    });
  });

  it("says that a payload is too large to be read", async () => {
    const hook = await hooked();
    await hook.send(fromGithub("push", Array(200_001).fill([]), secret, randomUUID()));
    const reasons = ["the payload has more than 200000 values"];
    expect(await last(hook)).toMatchObject({ status: "skipped", event: "push", reasons, builds: [] });
  });

  it("says why a repository could not be read, while it is tried again and afterwards", async () => {
    const hook = await hooked();
    const sha = await hook.git.commit({ ".service-ci.yml": manifest });
    intercept = () => ({ status: 404 });
    await hook.push({ sha });
    const reasons = ["repository could not be read: 404"];
    expect(await last(hook)).toMatchObject({ reasons, builds: [] });
    await eventually(async () => expect(await last(hook)).toMatchObject({ status: "failed", reasons }));
    intercept = () => undefined;
    const again = await redeliver(hook, (await last(hook)).id);
    expect(again).toMatchObject({ status: "built", reasons: [], builds: [{ userId: suite.users.ann.id }] });
  });

  it("delivers an event again, which makes builds of its own", async () => {
    const hook = await hooked();
    const builds = await hook.push({ sha: await hook.git.commit({ ".service-ci.yml": manifest }) });
    const { id } = await last(hook);
    const again = await redeliver(hook, id);
    expect(again).toMatchObject({ status: "built", redeliveryOf: id, builds: [{ number: builds[0]!.number + 1 }] });
    expect((await deliveriesOf(hook)).map((one) => one.id)).toEqual([again.id, id]);
    await hook.send(fromGithub("ping", { zen: "y" }, secret, randomUUID()));
    expect(await redeliver(hook, (await last(hook)).id)).toMatchObject({
      status: "skipped",
      reasons: ["the event ping makes no build"],
    });
  });

  it("reports the first complaint about a commit to the provider", async () => {
    const hook = await hooked("gitlab", "t0ken");
    const long = "x".repeat(200);
    const sha = await hook.git.commit({ ".service-ci.yml": `driver: {type: os}\nsources: ["a b\\n${long}"]` });
    await hook.push({ sha });
    const { reasons } = await last(hook);
    const sent = await eventually(() => {
      const [request] = server().apiRequests.filter(({ path }) => path.includes(sha));
      return JSON.parse(request!.body.toString());
    });
    expect(sent).toMatchObject({
      state: "failed",
      description: expect.stringMatching(/^Manifest sources invalid entry a b x+/),
    });
    expect(reasons[0]).toContain(sent.description.slice(0, 30));
    expect(sent.description.length).toBeLessThanOrEqual(140);
  });
});

describe("says that a status could not be reported", () => {
  const reasons = ["its status could not be reported; redeliver it later"];
  const pushed = async (hook: Hooked) => {
    await hook.push({ sha: await hook.git.commit({ ".service-ci.yml": manifest }) });
    return (await last(hook)).id;
  };

  it("after the last attempt", async () => {
    const hook = await hooked("github", "t0ken");
    const number = await pushed(hook);
    answer = { status: 502 };
    const [build] = (await last(hook)).builds;
    await suite.as(suite.users.ann, () => suite.builds.killBuild({ ref: build, group: false }));
    await eventually(async () => expect(await last(hook)).toMatchObject({ id: number, status: "built", reasons }));
  });

  it("if the processes that tried it crashed", async () => {
    const hook = await hooked("github", "t0ken");
    const number = await pushed(hook);
    const stored = suite.database().collection("hookDeliveries");
    const of = { repositoryId: hook.record.id, number };
    await eventually(async () => {
      const crashed = { lost: 4, heldUntil: new Date(0), dueAt: new Date(0) };
      const { matchedCount } = await stored.updateOne({ ...of, reported: "pending" }, { $set: crashed });
      expect(matchedCount).toBe(1);
    });
    await (await hooked("github", "t0ken")).push({ sha: "0".repeat(40) });
    await eventually(async () => expect(await last(hook)).toMatchObject({ id: number, status: "built", reasons }));
  });
});

describe("hostile texts", () => {
  const hostile = "$(id)`id`;\"'\n\r\u0007--upload-pack=id $HOME";

  it("in refs and messages end as values only", async () => {
    const hook = await hooked();
    const sha = await hook.git.commit({ ".service-ci.yml": manifest }, "refs/heads/main", hostile);
    const [ref] = await hook.push({ sha, ref: `refs/heads/${hostile}`, message: hostile });
    const { build } = await suite.as(suite.users.ann, () => suite.builds.getBuild({ ref, brief: false }));
    expect(build).toMatchObject({ trigger: { comment: hostile, data: { ref: `refs/heads/${hostile}` } } });
    const { jobs } = await suite.as(suite.users.ann, () => suite.builds.listJobs({ ref, search: "" }));
    expect(JSON.stringify(jobs.map(({ commands }) => commands))).not.toContain("id)");
    expect(await last(hook)).toMatchObject({ status: "built", ref: `refs/heads/${hostile}` });
  });

  it("of a megabyte are cut, or the commit is refused with a reason", async () => {
    const hook = await hooked();
    const huge = "m".repeat(1024 ** 2);
    const small = await hook.git.commit({ ".service-ci.yml": manifest });
    const [ref] = await hook.push({ sha: small, message: huge });
    const { build } = await suite.as(suite.users.ann, () => suite.builds.getBuild({ ref, brief: true }));
    expect(build!.trigger!.comment).toHaveLength(4_096);
    await hook.send(fromGithub(huge, github.push({ message: huge }), secret, huge));
    const delivery = await last(hook);
    expect([delivery.event.length, delivery.deliveryId.length]).toEqual([50, 200]);
    expect(delivery.reasons[0]!.length).toBeLessThan(200);
    const { headers } = fromGitlab("Push Hook", {}, secret, randomUUID());
    expect(headers["x-gitlab-token"]).toBe(secret);
  });
});

describe("not_found", () => {
  it("for users who are no members, and for deliveries of other repositories", async () => {
    const [one, other] = [await hooked(), await hooked()];
    await one.send(fromGithub("ping", {}, secret, randomUUID()));
    const { id } = await last(one);
    const { repositories, users } = suite;
    const attempts = [
      () => suite.as(users.eve, () => repositories.listHookDeliveries({ ...refOf(one, id), page: undefined })),
      () => suite.as(users.eve, () => repositories.getHookDelivery(refOf(one, id))),
      () => suite.as(users.eve, () => repositories.redeliverHook(refOf(one, id))),
      () => suite.as(users.ann, () => repositories.getHookDelivery(refOf(other, id))),
      () => suite.as(users.ann, () => repositories.redeliverHook(refOf(other, id))),
      () =>
        suite.as(users.ann, () => repositories.getHookDelivery({ ...refOf(one, id), namespaceId: other.namespace.id })),
    ];
    for (const attempt of attempts) expect(await fault(attempt())).toMatchObject({ code: "not_found" });
  });
});
