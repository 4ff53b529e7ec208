import type { Visibility } from "@ci/rest/visibilities";
import { aBuild, aWord } from "@ci/testkit/builders";
import { made, type SignedUp } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import type { Receiver } from "@ci/testkit/receiver";
import type { Crew } from "./_access-crew.js";
import { image, key, object, type Target, variable } from "./_access-make.js";

/** A tree of the owner's with the user `collaborator`. `name` and `url` are those of the tested namespace. */
export interface Tree extends Target {
  readonly id: number;
  readonly name: string;
  /** The root's route, for joining and leaving. */
  readonly rootUrl: string;
  readonly url: string;
  readonly visibility: Visibility;
  readonly child: boolean;
}

/** A namespace, or none, with records of each kind. */
export interface Place extends Omit<Partial<Tree>, "namespace"> {
  readonly label: string;
  readonly crew: Crew;
  readonly inbox: Receiver;
  /** The path in manifests and records, or an empty text. */
  readonly namespace: string;
  readonly records: Awaited<ReturnType<typeof fill>>;
}

/** Generous, because these tests are not about time. */
const patient = { withinMs: 120_000 };
const opposite = { private: "public", internal: "private", public: "private" } as const;

/** Creates a tree with a collaborator. A child's root becomes visible only after the child's creation. */
export async function aTree({ owner, collaborator }: Crew, visibility: Visibility, child: boolean): Promise<Tree> {
  const root = aWord("ns");
  const rootUrl = `/n/${owner.username}/${root}`;
  let record = made(await owner.post("/namespaces", { name: root, visibility: child ? "private" : visibility }));
  if (child) {
    record = made(await owner.post("/namespaces", { name: "web", parent: root, visibility: "public" }));
    await owner.patch(rootUrl, { visibility });
    // A child's own visibility has no effect.
    await owner.patch(`${rootUrl}/web`, { visibility: opposite[visibility] });
  }
  const name = record.path;
  await join(owner, collaborator, rootUrl);
  const url = `/n/${owner.username}/${name}`;
  return { id: record.id, name, rootUrl, url, visibility, child, namespace: `${name}@${owner.username}` };
}

/** Makes a user a collaborator. */
export async function join(owner: SignedUp, user: SignedUp, rootUrl: string): Promise<void> {
  const { id } = made(await owner.post(`${rootUrl}/-/invites`, { handle: user.username }));
  const { status } = await user.patch(`/invites/${id}`);
  if (status !== 200) throw new Error(`Not accepted, but ${status}`);
}

/** Removes a collaborator. */
export async function leave(owner: SignedUp, user: SignedUp, rootUrl: string): Promise<void> {
  const { status } = await owner.delete(`${rootUrl}/-/collaborators/${user.username}`);
  if (status !== 204) throw new Error(`Not removed, but ${status}`);
}

/** Creates a tree with records. A former member has submitted its builds. */
export async function aPlace(crew: Crew, inbox: Receiver, visibility: Visibility, child: boolean): Promise<Place> {
  const tree = await aTree(crew, visibility, child);
  await join(crew.owner, crew.former, tree.rootUrl);
  const records = await fill(crew, crew.former, tree);
  await leave(crew.owner, crew.former, tree.rootUrl);
  const guest = await crew.ci.signUp();
  const invite = made(await crew.owner.post(`${tree.url}/-/invites`, { handle: guest.username }));
  const watched = await watch(crew, inbox, tree);
  const label = `${visibility} ${child ? "child" : "root"}`;
  return { ...tree, label, crew, inbox, records: { ...records, ...watched, invite: invite.id } };
}

/** Creates records of the owner's without a namespace. */
export async function noPlace(crew: Crew, inbox: Receiver): Promise<Place> {
  const records = await fill(crew, crew.owner, { namespace: "" });
  return { label: "without namespace", crew, inbox, namespace: "", records };
}

/** Returns a qemu build, which stays queued because no runner serves qemu. */
export const waiting = (namespace: string) => aBuild({ namespace, driver: { type: "qemu", image: "none" } });

async function fill({ owner }: Crew, submitter: SignedUp, { namespace }: Target) {
  const target = { namespace };
  const uploaded = await object(owner, target);
  const jobs = [{ stage: "test", commands: ["echo said; echo made > out.txt"], artifacts: ["out.txt"] }];
  const run = aBuild({ namespace, jobs, objects: [uploaded.name], tags: ["v1"] });
  const queued = made(await submitter.post("/builds", waiting(namespace)));
  const killed = made(await submitter.post("/builds", waiting(namespace)));
  const finished = made(await submitter.post("/builds", run));
  await submitter.delete(killed.url);
  await eventually(async () => expect((await submitter.get(finished.url)).json.status).toBe("passed"), patient);
  return {
    finished: finished as { id: number; url: string },
    queued: queued.url as string,
    killed: killed.url as string,
    object: uploaded,
    image: await image(owner, target),
    variable: await variable(owner, target),
    key: await key(owner, target),
    webhook: 0,
    delivery: 0,
    invite: 0,
  };
}

/** Creates a webhook and waits until it has delivered one event. */
async function watch({ owner }: Crew, inbox: Receiver, tree: Tree) {
  const hooks = `${tree.url}/-/webhooks`;
  const payload_url = `${inbox.url}/${aWord()}`;
  const { id: webhook } = made(await owner.post(hooks, { payload_url, events: ["variables"] }));
  await variable(owner, tree);
  const delivery = await eventually(async () => {
    const [first] = (await owner.get(`${hooks}/${webhook}/deliveries`)).json;
    expect(first?.status).toBe("delivered");
    return first.id as number;
  }, patient);
  await owner.patch(`${hooks}/${webhook}`, { active: false });
  return { webhook: webhook as number, delivery };
}
