// Control characters, and those that change the direction of text.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
const hidden = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Escapes characters that could control a terminal or break a row. */
export const visible = (text: string): string =>
  text.replace(hidden, (character) => ({ "\n": "\\n", "\t": "\\t", "\r": "\\r" })[character] ?? escaped(character));
