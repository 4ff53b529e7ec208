import type { Visibility } from "@ci/rest/visibilities";
import { aBuild, aWord } from "@ci/testkit/builders";
import { made, type SignedUp } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import type { Receiver } from "@ci/testkit/receiver";
import type { Crew } from "./_access-crew.js";
import { image, key, object, type Target, variable } from "./_access-make.js";

/** A tree of the owner's, in which `collaborator` collaborates; `path` is that of the tested namespace. */
export interface Tree extends Target {
  readonly id: number;
  readonly name: string;
  /** Routes of the root, for joining and leaving. */
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
  /** Its path in manifests and records; empty for none. */
  readonly namespace: string;
  readonly records: Awaited<ReturnType<typeof fill>>;
}

/** Generous: these tests are not about time. */
const patient = { withinMs: 120_000 };
const opposite = { private: "public", internal: "private", public: "private" } as const;

/** Creates a tree that a user joins. A child's root becomes visible only after the child's creation. */
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

/** A tree with records; its builds were submitted by a former member. */
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

/** The owner's records without namespace. */
export async function noPlace(crew: Crew, inbox: Receiver): Promise<Place> {
  const records = await fill(crew, crew.owner, { namespace: "" });
  return { label: "without namespace", crew, inbox, namespace: "", records };
}

/** A qemu build, which stays queued because no runner serves qemu. */
export const waiting = (namespace: string) => aBuild({ namespace, driver: { type: "qemu", image: "none" } });

async function fill({ owner }: Crew, submitter: SignedUp, { namespace }: Target) {
  const on = { namespace };
  const stored = await object(owner, on);
  const jobs = [{ stage: "test", commands: ["echo said; echo made > out.txt"], artifacts: ["out.txt"] }];
  const run = aBuild({ namespace, jobs, objects: [stored.name], tags: ["v1"] });
  const queued = made(await submitter.post("/builds", waiting(namespace)));
  const killed = made(await submitter.post("/builds", waiting(namespace)));
  const finished = made(await submitter.post("/builds", run));
  await submitter.delete(killed.url);
  await eventually(async () => expect((await submitter.get(finished.url)).json.status).toBe("passed"), patient);
  return {
    finished: finished as { id: number; url: string },
    queued: queued.url as string,
    killed: killed.url as string,
    object: stored,
    image: await image(owner, on),
    variable: await variable(owner, on),
    key: await key(owner, on),
    webhook: 0,
    delivery: 0,
    invite: 0,
  };
}

/** A webhook of a tree that has got one event. */
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
