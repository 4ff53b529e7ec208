/** Returns RFC 3339 in UTC with milliseconds; null for a time that has not come. */
export const timeOrNull = (at: Date | undefined): string | null => at?.toISOString() ?? null;

/** Returns a time that every stored record has. Only the types generated from the proto call it optional. */
export const time = (at: Date | undefined): string => timeOrNull(at) as string;
