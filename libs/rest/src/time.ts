/** RFC 3339 in UTC with milliseconds; null for a time that has not come. */
export const time = (at: Date | undefined): string | null => at?.toISOString() ?? null;
