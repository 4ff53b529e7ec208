import { type Nudge, newsOf } from "@ci/kit/mongo/outbox";
import { Fault, notFound } from "@ci/kit/rpc/fault";
import { inTurn } from "@ci/kit/turns/in-turn";
import type { Collection } from "mongodb";
import type { BuildDoc } from "../domain/build.js";
import { applyChange, type Change } from "../domain/change.js";
import { toFilter, toUpdate } from "./build-update.js";
import type { RecentBuilds } from "./recent-builds.js";

const maxAttempts = 50;

/** Throws `not_found` if there is no such build. */
export async function existing<D>(found: Promise<D | null>): Promise<D> {
  const doc = await found;
  if (!doc) throw notFound();
  return doc;
}

export type Decide = (doc: BuildDoc) => Change | undefined;

/** Called with a build before and after each change that was written. */
export type OnChange = (before: BuildDoc, after: BuildDoc) => void;

/** Writes changes of builds, each guarded by the revision that it is based on. */
export function buildWriter(builds: Collection<BuildDoc>, recent: RecentBuilds, nudge: Nudge, onChange: OnChange) {
  /** Changes of a build that this process makes at once would only make each other repeat. */
  const changing = inTurn<number>();

  /** Writes a change unless the build has changed meanwhile. */
  async function write(doc: BuildDoc, change: Change): Promise<BuildDoc | undefined> {
    const { _id, rev, outbox } = doc;
    const { matchedCount } = await builds.updateOne(toFilter(doc, change), toUpdate(doc, change));
    if (matchedCount === 0) return undefined;
    const { events = [] } = change;
    if (events.length > 0) nudge(builds as never, _id, newsOf(events, outbox));
    const after = { ...applyChange(doc, change), rev: rev + 1, outbox: [...outbox, ...events] };
    onChange(doc, after);
    recent.keep(after);
    return after;
  }

  /** Changes the cached build. Returns undefined unless the change was written: only a write proves the cache right. */
  async function tryRemembered(doc: BuildDoc, decide: Decide): Promise<BuildDoc | undefined> {
    let change: Change | undefined;
    try {
      change = decide(doc);
    } catch {
      return undefined;
    }
    return change && (await write(doc, change));
  }

  /** Returns a build once a majority has what was read; undefined if it was changed meanwhile. */
  async function confirmed(doc: BuildDoc): Promise<BuildDoc | undefined> {
    const { _id, rev } = doc;
    const { matchedCount } = await builds.updateOne({ _id, rev }, { $set: { rev } });
    return matchedCount > 0 ? doc : undefined;
  }

  async function changeNow(id: number, decide: Decide, read?: BuildDoc): Promise<BuildDoc> {
    const remembered = recent.take(id);
    const guessed = !read && remembered && (await tryRemembered(remembered, decide));
    if (guessed) return guessed;
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const doc = attempt === 0 && read ? read : await existing(builds.findOne({ _id: id }));
      const change = decide(doc);
      const after = change ? await write(doc, change) : await confirmed(doc);
      if (after) return after;
    }
    throw new Fault("unavailable", `Build ${id} has too many concurrent changes`);
  }

  return {
    /**
     * Writes the change that `decide` returns, if any. If the build was changed meanwhile, calls `decide` again.
     * A caller that has just read the build passes it as `read` to save a query.
     */
    change: (id: number, decide: Decide, read?: BuildDoc): Promise<BuildDoc> =>
      changing(id, () => changeNow(id, decide, read)),
  };
}
