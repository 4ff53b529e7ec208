import type { Visibility } from "@ci/rest/visibilities";
import { aBuild, aWord } from "@ci/testkit/builders";
import { created, type SignedUp } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import type { Receiver } from "@ci/testkit/receiver";
import type { Crew } from "./_access-crew.js";
import { createImage, createKey, createObject, createVariable, type Target } from "./_access-make.js";

/** A tree of namespaces of `owner` and `collaborator`. `name` and `url` are those of the tested namespace. */
export interface Tree extends Target {
  readonly id: number;
  readonly name: string;
  /** The route of the root, which has the collaborators. */
  readonly rootUrl: string;
  readonly url: string;
  readonly visibility: Visibility;
  readonly child: boolean;
}

/** Records of each kind, in a namespace or without one. */
export interface Place extends Omit<Partial<Tree>, "namespace"> {
  readonly label: string;
  readonly crew: Crew;
  readonly inbox: Receiver;
  /** The path in manifests and records, or an empty text. */
  readonly namespace: string;
  readonly records: Awaited<ReturnType<typeof createRecords>>;
}

/** Generous, because these tests are not about time. */
const patience = { withinMs: 120_000 };
const otherVisibility = { private: "public", internal: "private", public: "private" } as const;

/** Creates a tree with a collaborator. A root gets its visibility only after its child is created. */
export async function aTree({ owner, collaborator }: Crew, visibility: Visibility, child: boolean): Promise<Tree> {
  const root = aWord("ns");
  const rootUrl = `/n/${owner.username}/${root}`;
  let record = created(await owner.post("/namespaces", { name: root, visibility: child ? "private" : visibility }));
  if (child) {
    record = created(await owner.post("/namespaces", { name: "web", parent: root, visibility: "public" }));
    await owner.patch(rootUrl, { visibility });
    // A child's own visibility has no effect.
    await owner.patch(`${rootUrl}/web`, { visibility: otherVisibility[visibility] });
  }
  const name = record.path;
  await addCollaborator(owner, collaborator, rootUrl);
  const url = `/n/${owner.username}/${name}`;
  return { id: record.id, name, rootUrl, url, visibility, child, namespace: `${name}@${owner.username}` };
}

/** Makes a user a collaborator. */
export async function addCollaborator(owner: SignedUp, user: SignedUp, rootUrl: string): Promise<void> {
  const { id } = created(await owner.post(`${rootUrl}/-/invites`, { handle: user.username }));
  const { status } = await user.patch(`/invites/${id}`);
  if (status !== 200) throw new Error(`Not accepted, but ${status}`);
}

/** Removes a collaborator. */
export async function removeCollaborator(owner: SignedUp, user: SignedUp, rootUrl: string): Promise<void> {
  const { status } = await owner.delete(`${rootUrl}/-/collaborators/${user.username}`);
  if (status !== 204) throw new Error(`Not removed, but ${status}`);
}

/** Creates a tree with records. A former member has submitted its builds. */
export async function aPlace(crew: Crew, inbox: Receiver, visibility: Visibility, child: boolean): Promise<Place> {
  const tree = await aTree(crew, visibility, child);
  await addCollaborator(crew.owner, crew.former, tree.rootUrl);
  const records = await createRecords(crew, crew.former, tree);
  await removeCollaborator(crew.owner, crew.former, tree.rootUrl);
  const guest = await crew.ci.signUp();
  const invite = created(await crew.owner.post(`${tree.url}/-/invites`, { handle: guest.username }));
  const watched = await createDelivery(crew, inbox, tree);
  const label = `${visibility} ${child ? "child" : "root"}`;
  return { ...tree, label, crew, inbox, records: { ...records, ...watched, invite: invite.id } };
}

/** Creates records of the owner without a namespace. */
export async function placeWithoutNamespace(crew: Crew, inbox: Receiver): Promise<Place> {
  const records = await createRecords(crew, crew.owner, { namespace: "" });
  return { label: "without namespace", crew, inbox, namespace: "", records };
}

/** Returns a qemu build, which stays queued because no runner serves qemu. */
export const queuedBuild = (namespace: string) => aBuild({ namespace, driver: { type: "qemu", image: "none" } });

async function createRecords({ owner }: Crew, submitter: SignedUp, { namespace }: Target) {
  const target = { namespace };
  const uploaded = await createObject(owner, target);
  const jobs = [{ stage: "test", commands: ["echo said; echo made > out.txt"], artifacts: ["out.txt"] }];
  const run = aBuild({ namespace, jobs, objects: [uploaded.name], tags: ["v1"] });
  const queued = created(await submitter.post("/builds", queuedBuild(namespace)));
  const killed = created(await submitter.post("/builds", queuedBuild(namespace)));
  const finished = created(await submitter.post("/builds", run));
  await submitter.delete(killed.url);
  await eventually(async () => expect((await submitter.get(finished.url)).json.status).toBe("passed"), patience);
  return {
    finished: finished as { id: number; url: string },
    queued: queued.url as string,
    killed: killed.url as string,
    object: uploaded,
    image: await createImage(owner, target),
    variable: await createVariable(owner, target),
    key: await createKey(owner, target),
    webhook: 0,
    delivery: 0,
    invite: 0,
  };
}

/** Creates a webhook and waits until it has delivered one event. */
async function createDelivery({ owner }: Crew, inbox: Receiver, tree: Tree) {
  const hooks = `${tree.url}/-/webhooks`;
  const payload_url = `${inbox.url}/${aWord()}`;
  const { id: webhook } = created(await owner.post(hooks, { payload_url, events: ["variables"] }));
  await createVariable(owner, tree);
  const delivery = await eventually(async () => {
    const [first] = (await owner.get(`${hooks}/${webhook}/deliveries`)).json;
    expect(first?.status).toBe("delivered");
    return first.id as number;
  }, patience);
  await owner.patch(`${hooks}/${webhook}`, { active: false });
  return { webhook: webhook as number, delivery };
}
