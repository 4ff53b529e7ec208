const maxNameLength = 255;

/** Returns the complaint if a record's name has too many characters. */
export const nameTooLong = (name: string): string[] =>
  [...name].length > maxNameLength ? [`Name cannot be longer than ${maxNameLength} characters in length`] : [];
