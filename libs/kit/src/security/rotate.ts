import type { Db, Document } from "mongodb";
import { openMongo } from "../mongo/mongo.js";
import { refuseUnused } from "../mongo/unused.js";
import { rotationConfig } from "../process/config.js";
import { type Keyring, keyIdOf, type Owner, reencrypt } from "./secrets.js";

export interface EncryptedField {
  readonly collection: string;
  /** Name or path; updated as a whole. */
  readonly field: string;
  readonly reads?: readonly string[];
  /** Counts the changes of the document. Without it, updates match the whole old value, which suits small ones. */
  readonly revision?: string;
  /** Returns the field's value with `renew` applied to each encrypted text. */
  renewed(doc: Document, renew: (encrypted: string, owner: Owner) => string): unknown;
}

/** The number of re-encrypted values, and of those left under other keys, by key id. */
interface Rotated {
  readonly renewed: number;
  readonly left: ReadonlyMap<string, number>;
}

const maxTries = 50;
const batchDocuments = 100;

const valueAt = (doc: Document, path: string): unknown =>
  path.split(".").reduce<unknown>((value, name) => (value as Document | undefined)?.[name], doc);

const projectionOf = ({ field, reads = [], revision }: EncryptedField) =>
  Object.fromEntries([field, ...reads, ...(revision ? [revision] : [])].map((name) => [name, 1]));

const collectionOf = (db: Db, encryptedField: EncryptedField) =>
  db.collection<Document & { _id: number }>(encryptedField.collection);

const walk = (db: Db, encryptedField: EncryptedField) =>
  collectionOf(db, encryptedField)
    .find({ _id: { $gt: 0 } }, { projection: projectionOf(encryptedField) })
    .sort({ _id: 1 })
    .batchSize(batchDocuments);

function renewal(keyring: Keyring, encryptedField: EncryptedField, doc: Document): { value: unknown; changed: number } {
  let changed = 0;
  const value = encryptedField.renewed(doc, (encrypted, owner) => {
    const text = reencrypt(keyring, encrypted, owner);
    if (text !== encrypted) changed++;
    return text;
  });
  return { value, changed };
}

/** Re-encrypts a document that was read some time ago; returns the number of values. */
export async function renewOne(
  db: Db,
  keyring: Keyring,
  encryptedField: EncryptedField,
  read: Document,
): Promise<number> {
  const collection = collectionOf(db, encryptedField);
  let doc: Document | null = read;
  for (let tries = 0; tries < maxTries && doc; tries++) {
    const before = valueAt(doc, encryptedField.field);
    if (before === undefined) return 0;
    const { value, changed } = renewal(keyring, encryptedField, doc);
    if (changed === 0) return 0;
    const { field, revision } = encryptedField;
    const unchanged = revision ? { [revision]: doc[revision] } : { [field]: before };
    const count = revision ? { $inc: { [revision]: 1 } } : {};
    const { matchedCount } = await collection.updateOne({ _id: read._id, ...unchanged }, {
      $set: { [field]: value },
      ...count,
    } as never);
    if (matchedCount > 0) return changed;
    doc = await collection.findOne({ _id: read._id }, { projection: projectionOf(encryptedField) });
  }
  if (doc) throw new Error(`${encryptedField.collection} ${read._id} changes too often: run this again`);
  return 0;
}

/**
 * Re-encrypts everything with the first key, then counts what is still under other keys: what cannot be decrypted, or what
 * a service with an older keyring wrote meanwhile. Safe to interrupt, repeat, and run beside the services.
 */
export async function rotateSecrets(db: Db, keyring: Keyring, fields: readonly EncryptedField[]): Promise<Rotated> {
  let renewed = 0;
  for (const encryptedField of fields)
    for await (const doc of walk(db, encryptedField)) renewed += await renewOne(db, keyring, encryptedField, doc);
  const left = new Map<string, number>();
  for (const encryptedField of fields) {
    for await (const doc of walk(db, encryptedField)) {
      if (valueAt(doc, encryptedField.field) === undefined) continue;
      encryptedField.renewed(doc, (encrypted) => {
        const id = keyIdOf(encrypted);
        if (id !== keyring.first) left.set(id, (left.get(id) ?? 0) + 1);
        return encrypted;
      });
    }
  }
  return { renewed, left };
}

function report(service: string, keyring: Keyring, { renewed, left }: Rotated): string {
  const others = [...left].map(([id, count]) => `${count} with "${id}"`).join(", ");
  const total = [...left.values()].reduce((sum, count) => sum + count, 0);
  return `${service}: ${renewed} re-encrypted with key "${keyring.first}", ${total} left under other keys${others && `: ${others}`}`;
}

/** Rotates the secrets of one service. The exit code is 0 only if nothing needs any other key than the first. */
export async function rotate(service: string, fields: readonly EncryptedField[]): Promise<void> {
  try {
    const { mongoUrl, mongoDb, keyring } = rotationConfig(service);
    await using mongo = await openMongo(mongoUrl, mongoDb);
    await refuseUnused(mongo.db);
    const rotated = await rotateSecrets(mongo.db, keyring, fields);
    process.stdout.write(`${report(service, keyring, rotated)}\n`);
    process.exitCode = rotated.left.size > 0 ? 1 : 0;
  } catch (error) {
    process.stderr.write(`${service}: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
