const longestName = 255;

/** The complaint about a name that is longer than names of records may be, in characters. */
export const nameTooLong = (name: string): string[] =>
  [...name].length > longestName ? [`Name cannot be longer than ${longestName} characters in length`] : [];
