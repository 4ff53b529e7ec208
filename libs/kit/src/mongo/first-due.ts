import type { Collection, Document } from "mongodb";

/** Returns in how many milliseconds the earliest time of a field comes, by the clock of MongoDB; undefined if none has it. */
export async function firstDueInMs<T extends Document>(
  docs: Collection<T>,
  field: string,
): Promise<number | undefined> {
  const having = docs.find({ [field]: { $exists: true } } as never).sort({ [field]: 1 });
  const left = having.project<{ ms: number }>({ _id: 0, ms: { $subtract: [`$${field}`, "$$NOW"] } });
  return (await left.limit(1).next())?.ms;
}
