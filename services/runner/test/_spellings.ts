/**
 * Writes a value in every spelling, independently of the product. Uses Node's encoders where they exist. Each character
 * of the results stands for one byte.
 */

export const latin1 = (text: string): string => Buffer.from(text).toString("latin1");
const unique = (texts: readonly string[]): string[] => [...new Set(texts)];
const byteOf = (code: string) => String.fromCharCode(Number.parseInt(code.slice(1), 16));
const alphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";

/** Percent-encodes all bytes except these characters. */
function percentEncodeExcept(except: string, value: string): string {
  const all = Buffer.from(value).toString("hex").toUpperCase().replace(/../g, "%$&");
  return all.replace(/%../g, (code) => (except.includes(byteOf(code)) ? byteOf(code) : code));
}

/** Returns the spellings in URLs and forms. */
export function inUrls(value: string): string[] {
  const form = new URLSearchParams([["", value]]).toString().slice(1).replaceAll("+", "%20");
  const variants = ["-.~", "-.~/", "-.", undefined].map((except) =>
    percentEncodeExcept(except === undefined ? "" : alphanumeric + except, value),
  );
  const upper = [encodeURIComponent(value), encodeURI(value), form, ...variants];
  const cases = upper.flatMap((text) => [text, text.replace(/%../g, (code) => code.toLowerCase())]);
  return unique(cases.flatMap((text) => [text, text.replaceAll("%20", "+")]));
}

/** Writes one character in JSON. `also` are characters to escape, and the flags are further habits of writers. */
function jsonCharacter(unit: string, { also = "", ascii = false, slash = false, quote = false }): string {
  const number = `\\u${Buffer.from([unit.charCodeAt(0) >> 8, unit.charCodeAt(0) & 255]).toString("hex")}`;
  if ((unit === "/" && slash) || (also.includes(unit) && also !== "")) return unit === "/" ? "\\/" : number;
  if ((ascii && unit >= "\x7f") || (quote && unit === '"')) return number;
  return JSON.stringify(`${unit}`).slice(1, -1);
}

const html = "<>&\u2028\u2029";
const writers = [
  {},
  { ascii: true },
  { slash: true },
  { slash: true, ascii: true },
  { also: html },
  { also: `${html}='` },
  { also: html, ascii: true },
  { also: `${html}'+\``, ascii: true, quote: true },
];

/** Returns the spellings in JSON, without the quotes. */
export function inJson(value: string): string[] {
  // JSON.stringify would write half of a surrogate pair as a number.
  const split = (ascii: boolean | undefined) => (ascii ? value.split("") : [...value]);
  const upper = (text: string) => (/^\\u/.test(text) ? `\\u${text.slice(2).toUpperCase()}` : text);
  const forms = writers.flatMap((writer) => {
    const units = split(writer.ascii).map((unit) => jsonCharacter(unit, writer));
    return [units.join(""), units.map(upper).join("")];
  });
  return unique(forms.map(latin1));
}

const letterOf: Readonly<Record<number, string>> = {
  ...{ 7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 27: "E", 39: "'", 92: "\\" },
};

function ansiCByte(byte: number): string {
  const letter = letterOf[byte];
  if (letter) return `\\${letter}`;
  return byte < 32 || byte > 126 ? `\\${byte.toString(8).padStart(3, "0")}` : String.fromCharCode(byte);
}

/** Writes text as bash does in `$'...'`. In UTF-8 it can print more. */
const inAnsiC = (value: string, isUtf8: boolean): string =>
  Array.from(value, (character) =>
    isUtf8 && character > "\x9f" ? latin1(character) : Array.from(Buffer.from(character), ansiCByte).join(""),
  ).join("");

/** Returns the spellings in a shell's trace, of bash and of dash. */
export function inTraces(value: string): string[] {
  const quoted = [value.split("'").join("'\\''"), value.replace(/'+/g, `'"$&"'`).replace(/(")'$/, "$1")].map(latin1);
  const isOnlyJson = /^[\b\t\n\f\r -~]*$/.test(value);
  return [
    ...(value.includes("'") ? quoted : []),
    ...(isOnlyJson ? [] : [true, false].map((isUtf8) => inAnsiC(value, isUtf8))),
  ];
}
