import { fixedLimit } from "@ci/kit/process/fixed-limit";

const maxNameLength = fixedLimit({
  max: 255,
  about: "characters of the name of an object, variable or key",
  refusal: "Name cannot be longer than N characters in length",
});

/** Returns the complaint if a record's name has too many characters. */
export const nameTooLong = (name: string): string[] =>
  [...name].length > maxNameLength ? [`Name cannot be longer than ${maxNameLength} characters in length`] : [];
