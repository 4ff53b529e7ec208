/** Reports whether a tag can be added to a build that exists. The API skips others without an error. */
export const isTagName = (name: string): boolean => /^[\w./-]+$/.test(name) && name !== "." && name !== "..";
