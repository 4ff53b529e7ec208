const part = "[a-z0-9]+(?:[._-]+[a-z0-9]+)*";
const host = "[A-Za-z0-9][A-Za-z0-9.-]*(?::[0-9]+)?";
const wellFormed = new RegExp(
  `^(?:${host}/)?${part}(?:/${part})*(?::[\\w][\\w.-]{0,127})?(?:@[a-z0-9]+:[0-9a-f]{32,})?$`,
);

/** Reports whether an engine can have an image of this name. */
export const isImageName = (name: string): boolean => wellFormed.test(name);
