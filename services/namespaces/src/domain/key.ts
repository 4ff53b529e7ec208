import type { Scoped } from "@ci/access/record-scope";
import type { Stored } from "@ci/kit/mongo/document";
import type { Key } from "@ci/proto/namespaces/v1/resources";
import type { Encrypted } from "./encrypted.js";
import { nameTooLong } from "./name.js";
import { openSshKey } from "./open-ssh.js";
import { isPemKey } from "./pem-key.js";

export interface KeyDoc extends Stored<Key>, Scoped, Encrypted {}

export const toKey = ({ _id, scope, rootId, terms, outbox, deletedAt, sealed, ...key }: KeyDoc): Key => ({
  id: _id,
  ...key,
});

/** File names with a special meaning in the directory of keys. */
const reserved = [".", "..", "config", "known_hosts", "authorized_keys"];

/** Returns the name as a safe file name: every other character becomes `_`. */
export const cleanKeyName = (name: string): string => name.replace(/[^A-Za-z0-9._-]/gu, "_");

/** Returns what is wrong with the cleaned name of a new key. */
export function keyNameComplaints(name: string): string[] {
  if (name === "") return ["Name field required"];
  return [...(reserved.includes(name) ? ["Name is reserved"] : []), ...nameTooLong(name)];
}

/** Returns the key as SSH tools expect it: no carriage returns or leading blanks, one newline at the end. */
export function cleanPrivateKey(text: string): string {
  const clean = text.replaceAll("\r", "").trimStart();
  return clean.endsWith("\n") ? clean : `${clean}\n`;
}

/** Returns the first PEM block of a private key. Some tools write other blocks or notes before it. */
function privateKeyBlock(text: string) {
  const begin = /^-----BEGIN ((?:[A-Z]+ )*PRIVATE KEY)-----[ \t]*$/m.exec(text);
  if (!begin) return undefined;
  const [line, label = ""] = begin;
  const end = `\n-----END ${label}-----`;
  const from = begin.index + line.length;
  const to = text.indexOf(end, from);
  if (to < 0) return undefined;
  const body = text.slice(from, to);
  return { label, body, first: begin.index === 0 };
}

function kindOf(text: string): "plain" | "encrypted" | undefined {
  const found = privateKeyBlock(text);
  if (!found) return undefined;
  const { label, body, first } = found;
  // SSH tools recognise this form only at the start of a file.
  if (label === "OPENSSH PRIVATE KEY") return first ? openSshKey(Buffer.from(body, "base64")) : undefined;
  if (label === "ENCRYPTED PRIVATE KEY" || /^Proc-Type: *4, *ENCRYPTED/m.test(body)) return "encrypted";
  return isPemKey(label, body) ? "plain" : undefined;
}

/** Returns what is wrong with a new private key. SSH must be able to use it without a passphrase. */
export function privateKeyComplaints(text: string): string[] {
  if (text === "") return ["Key field required"];
  const kind = kindOf(cleanPrivateKey(text));
  if (kind === "plain") return [];
  return [kind === "encrypted" ? "Key ssh: key is encrypted" : "Key ssh: no key found"];
}
