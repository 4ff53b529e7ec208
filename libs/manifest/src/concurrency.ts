import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { Complaints } from "./complaints.js";
import { key, mapping, type Values } from "./mapping.js";
import { controls, type MaybePlaced, placed, text, word } from "./spec.js";

export interface Concurrency {
  readonly group: string;
  /** Which older builds of the group a new one kills; absent: none. */
  readonly cancel?: "queued" | "running";
}

const maxLength = fixedLimit({
  max: 100,
  about: "characters in the name of a group of concurrency",
  refusal: "the group of concurrency cannot be longer than N characters",
});

const keys = {
  group: key(placed(text), "Name of the group, of which one build runs at a time in a namespace", "deploy", "name"),
  cancel: key(
    word(["none", "queued", "running"]),
    "Which older builds of the group a new one kills: none (the default), queued ones, or queued and running ones",
    "queued",
    ...["cancel-in-progress", "interruptible"],
  ),
};

export const concurrency = placed(mapping("concurrency", keys, ["group"]));

type Given = Values<typeof keys>;

function complaintAbout(group: string): string | undefined {
  if (group === "") return "concurrency must have a group";
  if (controls.test(group)) return "the group of concurrency cannot have control characters";
  return group.length > maxLength
    ? `the group of concurrency cannot be longer than ${maxLength} characters`
    : undefined;
}

/** Checks the group of a manifest. Returns undefined for a manifest without one, and after a complaint. */
export function concurrencyOf(given: MaybePlaced<Given> | undefined, complain: Complaints): Concurrency | undefined {
  if (given?.at === undefined) return undefined;
  const { group: named, cancel } = given.value;
  const group = named?.value.trim() ?? "";
  const complaint = complaintAbout(group);
  if (complaint) complain.addAt(named?.at ?? given.at, complaint);
  if (complaint) return undefined;
  return cancel === "queued" || cancel === "running" ? { group, cancel } : { group };
}
