const part = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
const maxLength = 255;
const host = "[A-Za-z0-9][A-Za-z0-9.-]*(?::[0-9]+)?";
const wellFormed = new RegExp(
  `^((?:${host}/)?${part}(?:/${part})*)(?::[\\w][\\w.-]{0,127})?(?:@[a-z0-9]+:[0-9a-f]{32,})?$`,
);

/** Reports whether an image's name is well formed. Without tag and digest, it has at most 255 characters. */
export const isImageName = (name: string): boolean => {
  const found = wellFormed.exec(name);
  return found !== null && found[1]!.length <= maxLength;
};
