import { type Nudge, newsOf } from "@ci/kit/mongo/outbox";
import type { Collection } from "mongodb";
import type { BuildDoc } from "../domain/build.js";
import { applyChange, type Change } from "../domain/change.js";
import { toFilter, toUpdate } from "./build-update.js";
import type { RecentBuilds } from "./recent-builds.js";

export type Decide = (doc: BuildDoc) => Change | undefined;

/** Called with a build before and after each change that was written. */
export type OnChange = (before: BuildDoc, after: BuildDoc) => void;

/** Writes changes of builds, each guarded by the revision that it is based on. */
export function buildWriter(builds: Collection<BuildDoc>, recent: RecentBuilds, nudge: Nudge, onChange: OnChange) {
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

  return { write, confirmed, tryRemembered };
}
