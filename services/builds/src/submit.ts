import { asFault } from "@ci/kit/fault";
import { nextId, nextIds } from "@ci/kit/mongo";
import { refuse } from "@ci/kit/refuse";
import { seal } from "@ci/kit/secrets";
import type { Trigger } from "@ci/proto/builds/v1/builds";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import type { Context } from "./context.js";
import type { BuildDoc } from "./domain/build.js";
import { type Manifest, readManifest } from "./domain/manifest.js";
import { idsOf, idsOfInputs, newBuild, type Submission } from "./domain/new-build.js";
import { submittedTags } from "./domain/tags.js";
import type { Submitter } from "./submitters.js";

/** Somebody's wish for a build. */
export interface Wish {
  readonly text: string;
  readonly tags: readonly string[];
  readonly userId: number;
  readonly trigger: (user: Submitter) => Trigger;
}

/** Complaints about a namespace, in the words of a manifest. */
function inManifest(name: string, message: string): string {
  if (message === "Namespace permission denied") return "Manifest cannot submit to namespace";
  return `Manifest ${name}: namespace: ${message.replace(/^Namespace /, "")}`;
}

/** The namespace a manifest names, or what is wrong with it; nothing is made. */
async function look(
  ctx: Context,
  userId: number,
  name: string,
): Promise<{ namespace?: Namespace; complaints: string[] }> {
  try {
    const { namespace } = await ctx.namespaces.enterNamespace({ name, userId, create: false });
    return { namespace, complaints: [] };
  } catch (error) {
    const { code, fields } = asFault(error);
    if (code !== "invalid") throw error;
    return { complaints: (fields?.namespace ?? []).map((message) => inManifest(name, message)) };
  }
}

interface Checked {
  readonly manifest: Manifest;
  readonly tags: string[];
  readonly namespace?: Namespace;
}

/** Every rule about a submission; all complaints come in one answer. */
async function check(ctx: Context, wish: Wish): Promise<Checked> {
  const { config } = ctx;
  const read = readManifest(wish.text, {
    maxBytes: config.manifestBytes,
    maxJobs: config.maxJobs,
    maxStages: config.maxStages,
    acceptedDrivers: config.drivers,
  });
  const name = "manifest" in read ? read.manifest.namespace : read.namespace;
  const looked = name ? await look(ctx, wish.userId, name) : { complaints: [] };
  const tags = submittedTags(wish.tags, config);
  refuse({
    manifest: [...("manifest" in read ? [] : read.complaints), ...looked.complaints],
    tags: tags.complaints,
  });
  // What could not be read has been refused.
  const { manifest } = read as { manifest: Manifest };
  return { manifest, tags: tags.names, namespace: looked.namespace };
}

/** The namespace the build goes to; missing ones are made now that nothing is wrong any more. */
async function enter(ctx: Context, userId: number, { manifest, namespace }: Checked): Promise<Namespace | undefined> {
  if (!manifest.namespace || namespace) return namespace;
  const made = await ctx.namespaces.enterNamespace({ name: manifest.namespace, userId, create: true });
  return made.namespace;
}

/** Checks a wish and queues the build. Fault `invalid` names every mistake. */
export async function submit(ctx: Context, wish: Wish): Promise<BuildDoc> {
  const checked = await check(ctx, wish);
  const namespace = await enter(ctx, wish.userId, checked);
  const { manifest, tags } = checked;
  const [inputs, submitter, number, ids] = await Promise.all([
    ctx.inputs.getBuildInputs({
      userId: wish.userId,
      namespaceId: namespace?.id,
      objectNames: manifest.objects.map((object) => object.source),
    }),
    ctx.submitter(wish.userId),
    nextId(ctx.db, `builds/${wish.userId}`),
    nextIds(ctx.db, "ids", idsOf(manifest, tags)),
  ]);
  const moreIds = await nextIds(ctx.db, "ids", idsOfInputs(manifest, inputs));
  const submission: Submission = {
    text: wish.text,
    manifest,
    tags,
    trigger: wish.trigger(submitter),
    userId: wish.userId,
    namespace,
    inputs,
  };
  const doc = newBuild(submission, { ...ids, ...moreIds }, number, ctx.now(), (value, kind, id) =>
    seal(ctx.config.keyring, value, { kind, id }),
  );
  await ctx.builds.insert(doc);
  ctx.bus.nudge(`queue.${doc.driver.type}`);
  return doc;
}
