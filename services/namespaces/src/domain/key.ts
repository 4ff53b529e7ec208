import { createPrivateKey } from "node:crypto";
import type { Stored } from "@ci/kit/mongo/document";
import type { Key } from "@ci/proto/namespaces/v1/resources";
import { nameTooLong } from "./name.js";
import { openSshKey } from "./open-ssh.js";
import type { Scoped } from "./scope.js";
import type { Sealed } from "./sealed.js";

/** A key as it is kept: its private half sealed. */
export interface KeyDoc extends Stored<Key>, Scoped, Sealed {}

export const toKey = ({ _id, scope, rootId, terms, outbox, deletedAt, sealed, ...key }: KeyDoc): Key => ({
  id: _id,
  ...key,
});

/** File names that mean something else in a directory of keys. */
const reserved = [".", "..", "config", "known_hosts", "authorized_keys"];
const sshTypes = ["rsa", "ec", "ed25519", "dsa"];

/** A name that can be a file's: every other character becomes `_`. */
export const cleanKeyName = (name: string): string => name.replace(/[^A-Za-z0-9._-]/gu, "_");

/** What is wrong with the cleaned name of a new key. */
export function keyNameComplaints(name: string): string[] {
  if (name === "") return ["Name field required"];
  return [...(reserved.includes(name) ? ["Name is reserved"] : []), ...nameTooLong(name)];
}

/** A private key as the programs that read it want it: no carriage return, nothing blank before it, the last line ended. */
export function cleanPrivateKey(text: string): string {
  const clean = text.replaceAll("\r", "").trimStart();
  return clean.endsWith("\n") ? clean : `${clean}\n`;
}

/** The first block of a private key in PEM armour. Some tools write other blocks or notes before it. */
function privateKeyBlock(text: string) {
  const begin = /^-----BEGIN ((?:[A-Z]+ )*PRIVATE KEY)-----[ \t]*$/m.exec(text);
  if (!begin) return undefined;
  const [line, label = ""] = begin;
  const end = `\n-----END ${label}-----`;
  const from = begin.index + line.length;
  const to = text.indexOf(end, from);
  if (to < 0) return undefined;
  const body = text.slice(from, to);
  return { label, body, pem: `${line}${body}${end}\n`, first: begin.index === 0 };
}

/** Whether OpenSSL reads it and SSH has a use for its kind. */
function isPemKey(pem: string): boolean {
  try {
    return sshTypes.includes(createPrivateKey(pem).asymmetricKeyType!);
  } catch {
    return false;
  }
}

function kindOf(text: string): "plain" | "encrypted" | undefined {
  const found = privateKeyBlock(text);
  if (!found) return undefined;
  const { label, body, pem, first } = found;
  // Programs recognise this form only when the file begins with it.
  if (label === "OPENSSH PRIVATE KEY") return first ? openSshKey(Buffer.from(body, "base64")) : undefined;
  if (label === "ENCRYPTED PRIVATE KEY" || /^Proc-Type: *4, *ENCRYPTED/m.test(body)) return "encrypted";
  return isPemKey(pem) ? "plain" : undefined;
}

/** What is wrong with the private half of a new key: it must be one that SSH can use without a passphrase. */
export function privateKeyComplaints(text: string): string[] {
  if (text === "") return ["Key field required"];
  const kind = kindOf(cleanPrivateKey(text));
  if (kind === "plain") return [];
  return [kind === "encrypted" ? "Key ssh: key is encrypted" : "Key ssh: no key found"];
}
