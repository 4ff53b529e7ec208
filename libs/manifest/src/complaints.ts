import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { quoted } from "@ci/kit/rpc/fault";

/** A place in the text of a manifest. Lines and columns count from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

export interface Complaint extends Partial<Place> {
  readonly message: string;
}

export interface Complaints {
  /** Each message once, in the order in which they were added. */
  readonly list: readonly Complaint[];
  /** Adds a complaint whose words do not name its place. */
  add(what: string, given?: string, at?: number): void;
  /** Adds a complaint that begins with its line, or with its line and its column. Calls `what` only if it is needed. */
  addAt(at: number, what: string | (() => string), names?: "line" | "column"): void;
  /** Adds a complaint like `addAt`, about a stored manifest, too. */
  refuseAt(at: number, what: string): void;
}

/** More than a response shows. A manifest can have a million mistakes. */
const maxMessages = fixedLimit({
  max: 100,
  about: "complaints about a manifest that are collected",
  effect: "further ones are left out",
});

/** Starts an empty list of complaints. Beyond 100 further ones are dropped. */
export function complaints(placeOf: (offset: number) => Place): Complaints {
  const list = new Map<string, Complaint>();
  const put = (what: string, at?: number) => {
    const message = `Manifest ${what}`;
    if (list.size >= maxMessages || list.has(message)) return;
    list.set(message, { message, ...(at === undefined ? {} : placeOf(at)) });
  };
  const putAt = (at: number, what: string | (() => string), names = "column") => {
    if (list.size >= maxMessages) return;
    const { line, column } = placeOf(at);
    const words = typeof what === "string" ? what : what();
    put(`line ${line}${names === "column" ? `, column ${column}` : ""}: ${words}`, at);
  };
  return {
    get list() {
      return [...list.values()];
    },
    add: (what, given = "", at) => put(`${what}${given === "" ? "" : " "}${quoted(given)}`, at),
    addAt: putAt,
    refuseAt: putAt,
  };
}
