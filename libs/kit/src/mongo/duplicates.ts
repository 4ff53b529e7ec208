import { MongoBulkWriteError, MongoServerError } from "mongodb";
import { type Fault, invalid } from "../rpc/fault.js";

export const duplicateKey = (error: unknown): error is MongoServerError =>
  error instanceof MongoServerError && error.code === 11000;

/** Awaits an insert. Returns false if a unique index refused it. */
export const insertedUnlessTaken = (insert: Promise<unknown>): Promise<boolean> =>
  insert.then(
    () => true,
    (error) => {
      if (duplicateKey(error)) return false;
      throw error;
    },
  );

/** Reports whether a bulk insert failed only because these unique indexes refused some documents. */
export function onlyRefusedBy(indexes: string | readonly string[], error: unknown): boolean {
  if (!(error instanceof MongoBulkWriteError) || error.result.getWriteConcernError() !== undefined) return false;
  const refused = [error.writeErrors].flat();
  const isDuplicate = ({ code, errmsg = "" }: (typeof refused)[number]) =>
    code === 11000 && [indexes].flat().some((index) => errmsg.includes(`index: ${index} dup key`));
  return refused.length > 0 && refused.every(isDuplicate);
}

/** Turns a duplicate key into a complaint about one field; rethrows other errors. */
export function complainIfTaken(field: string, message: string): (error: unknown) => never {
  return (error) => {
    if (duplicateKey(error)) throw invalid({ [field]: [message] }) satisfies Fault;
    throw error;
  };
}
