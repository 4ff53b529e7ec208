import type { Db, Document } from "mongodb";
import { openMongo } from "../mongo/mongo.js";
import { rotationConfig } from "../process/config.js";
import { type Keyring, keyIdOf, type Owner, reencrypt } from "./secrets.js";

/** A field of a collection that holds sealed values. Ids are integers from 1. */
export interface EncryptedField {
  readonly collection: string;
  /** Its name, or the path to it; it is written as a whole. */
  readonly field: string;
  /** Other fields that `renewed` reads. */
  readonly reads?: readonly string[];
  /**
   * The field that counts the changes of the document. Without it a document is written only while the sealed field
   * is what it was, which a request has to say in full: enough for small ones.
   */
  readonly revision?: string;
  /** The field's value, each sealed text in it replaced by what `renew` makes of it. Not asked when there is no value. */
  renewed(doc: Document, renew: (sealed: string, owner: Owner) => string): unknown;
}

/** What a rotation did: values sealed anew, and values sealed with other keys than the first, by the id of the key. */
export interface Rotated {
  readonly renewed: number;
  readonly left: ReadonlyMap<string, number>;
}

const mostTries = 50;
const batchDocuments = 100;

const valueAt = (doc: Document, path: string): unknown =>
  path.split(".").reduce<unknown>((value, name) => (value as Document | undefined)?.[name], doc);

const projectionOf = ({ field, reads = [], revision }: EncryptedField) =>
  Object.fromEntries([field, ...reads, ...(revision ? [revision] : [])].map((name) => [name, 1]));

const collectionOf = (db: Db, of: EncryptedField) => db.collection<Document & { _id: number }>(of.collection);

/** All documents in order of ids, a few at a time. */
const walk = (db: Db, of: EncryptedField) =>
  collectionOf(db, of)
    .find({ _id: { $gt: 0 } }, { projection: projectionOf(of) })
    .sort({ _id: 1 })
    .batchSize(batchDocuments);

/** The field's value sealed with the first key as far as it can be opened, and how many texts of it that changes. */
function renewal(keyring: Keyring, of: EncryptedField, doc: Document): { value: unknown; changed: number } {
  let changed = 0;
  const value = of.renewed(doc, (sealed, owner) => {
    const anew = reencrypt(keyring, sealed, owner);
    if (anew !== sealed) changed++;
    return anew;
  });
  return { value, changed };
}

/** Seals anew what a document holds; `read` is the document as it was some time ago. Answers how many values. */
export async function renewOne(db: Db, keyring: Keyring, of: EncryptedField, read: Document): Promise<number> {
  const collection = collectionOf(db, of);
  let doc: Document | null = read;
  for (let tries = 0; tries < mostTries && doc; tries++) {
    const was = valueAt(doc, of.field);
    if (was === undefined) return 0;
    const { value, changed } = renewal(keyring, of, doc);
    if (changed === 0) return 0;
    const { field, revision } = of;
    const still = revision ? { [revision]: doc[revision] } : { [field]: was };
    const count = revision ? { $inc: { [revision]: 1 } } : {};
    const { matchedCount } = await collection.updateOne({ _id: read._id, ...still }, {
      $set: { [field]: value },
      ...count,
    } as never);
    if (matchedCount > 0) return changed;
    // Somebody changed it meanwhile: what they wrote counts.
    doc = await collection.findOne({ _id: read._id }, { projection: projectionOf(of) });
  }
  if (doc) throw new Error(`${of.collection} ${read._id} is changed by too many at once: run this again`);
  return 0;
}

/**
 * Seals with the first key of the ring all that is sealed with another, and then counts what still is: what cannot be
 * opened, or what a service wrote meanwhile that puts another key first. Harmless when interrupted, repeated, run twice
 * at once or beside the services; what has been sealed anew is not written again.
 */
export async function rotateSecrets(db: Db, keyring: Keyring, fields: readonly EncryptedField[]): Promise<Rotated> {
  let renewed = 0;
  for (const of of fields) for await (const doc of walk(db, of)) renewed += await renewOne(db, keyring, of, doc);
  const left = new Map<string, number>();
  for (const of of fields) {
    for await (const doc of walk(db, of)) {
      if (valueAt(doc, of.field) === undefined) continue;
      of.renewed(doc, (sealed) => {
        const id = keyIdOf(sealed);
        if (id !== keyring.first) left.set(id, (left.get(id) ?? 0) + 1);
        return sealed;
      });
    }
  }
  return { renewed, left };
}

/** What a rotation says at its end. */
function report(service: string, keyring: Keyring, { renewed, left }: Rotated): string {
  const others = [...left].map(([id, count]) => `${count} with "${id}"`).join(", ");
  const total = [...left.values()].reduce((sum, count) => sum + count, 0);
  return `${service}: ${renewed} re-encrypted with key "${keyring.first}", ${total} left under other keys${others && `: ${others}`}`;
}

/**
 * The life of a process that rotates the secrets of one service, as its settings name them. It exits with 0 if and
 * only if nothing is left that needs another key than the first.
 */
export async function rotate(service: string, fields: readonly EncryptedField[]): Promise<void> {
  try {
    const { mongoUrl, mongoDb, keyring } = rotationConfig(service);
    await using mongo = await openMongo(mongoUrl, mongoDb);
    const rotated = await rotateSecrets(mongo.db, keyring, fields);
    process.stdout.write(`${report(service, keyring, rotated)}\n`);
    process.exitCode = rotated.left.size > 0 ? 1 : 0;
  } catch (error) {
    process.stderr.write(`${service}: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
