import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { quoted } from "@ci/kit/rpc/fault";

export interface Complaints {
  readonly messages: readonly string[];
  add(what: string, given?: string): void;
}

/** More than an answer shows. A manifest can have a million mistakes. */
const maxMessages = fixedLimit({
  max: 100,
  about: "complaints about a manifest that are collected",
  effect: "further ones are left out",
});

/** Starts an empty list of complaints. Beyond 100 further ones are dropped. */
export function complaints(): Complaints {
  const messages = new Set<string>();
  return {
    get messages() {
      return [...messages];
    },
    add(what, given = "") {
      if (messages.size < maxMessages) messages.add(`Manifest ${what}${given === "" ? "" : " "}${quoted(given)}`);
    },
  };
}
