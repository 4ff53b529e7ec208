import type { Trigger } from "@ci/proto/builds/v1/builds";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import type { Context } from "../../context.js";
import type { Destination } from "../../domain/cron.js";
import type { Cause } from "../../domain/entry.js";
import { inGroup, membersOf } from "../../domain/group.js";
import { newBuild, type Submission } from "../../domain/new-build.js";
import { asStored, type NewSize, newSize, recordComplaints } from "../../store/new-builds.js";
import type { Submitter } from "./submitters.js";

/** A request for builds whose checks go on. Its namespace may not exist yet. */
export type Draft = Omit<Submission, "inputs" | "trigger" | "place" | "submitter" | "trail" | "group" | "auditEntry"> &
  Partial<Destination> & {
    readonly trigger: (user: Submitter, at: Date) => Trigger;
    readonly cause?: Cause | undefined;
  };

const number = 2 ** 52;
const text = "x".repeat(255);
const ids = {
  build: number,
  job: number,
  artifact: number,
  tag: number,
  object: number,
  variable: number,
  key: number,
};
const place = { position: number, reason: text };
/** For what a record may have beyond the draft: the trail, the audit entry, longer names, and the namespaces above a new one. */
export const spareBytes = 16 * 1024;

function namespaceOf({ namespace, name, ancestorIds = [] }: Draft): Namespace | undefined {
  if (namespace || !name) return namespace;
  return { ...({} as Namespace), id: number, userId: number, rootId: number, path: name, ancestorIds };
}

/** `encrypt` returns the id of its key, and base64 of 28 bytes and the value. */
const sealedLength = (keyId: string, value: string): number =>
  keyId.length + 1 + 4 * Math.ceil((28 + Buffer.byteLength(value)) / 3);

const usualLength = 8 * 1024;

/** Reports whether a draft obviously makes a single small build, as most do: an estimate costs more. */
export const isClearlySmall = (
  { text, tags, manifest, parameters = [] }: Draft,
  inputs: Submission["inputs"],
): boolean =>
  !manifest.matrix &&
  text.length <= usualLength &&
  inputs.variables.every(({ value }) => value.length <= usualLength) &&
  JSON.stringify([manifest, tags, parameters, inputs]).length <= usualLength;

/**
 * Returns upper bounds for the sizes of a draft's builds; not those of all if the first ones are too large together. Other
 * work runs in between, before the first one and after the last.
 */
export async function estimateSizes(
  { config, now }: Pick<Context, "config" | "now">,
  draft: Draft,
  inputs: Submission["inputs"],
): Promise<NewSize[]> {
  const members = membersOf(draft.manifest, draft.axes);
  const at = now();
  const trigger = draft.trigger({ email: text, username: text }, at);
  const common = { ...draft, inputs, trigger, namespace: namespaceOf(draft), place, submitter: text };
  const sizes: NewSize[] = [];
  for (const [index, member] of members.entries()) {
    await new Promise(setImmediate);
    const group = members.length > 1 ? { id: number, size: number, index } : undefined;
    let more = spareBytes;
    const sealed = (value: string) => {
      more += sealedLength(config.keyring.first, value);
      return "";
    };
    const submission = { ...common, ...member, ...inGroup(draft, index, members.length), group };
    const size = newSize(asStored(newBuild(submission, ids, number, at, sealed)));
    sizes.push({ bytes: size.bytes + more, bytesWithEvents: size.bytesWithEvents + more });
    if (recordComplaints(sizes).length > 0) break;
  }
  await new Promise(setImmediate);
  return sizes;
}
