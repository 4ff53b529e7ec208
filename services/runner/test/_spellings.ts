/**
 * How a value may be written, told a second time and in another way than by the product: with Node's own encoders
 * where there are any, and by trying where the product calculates. Texts here hold one byte in each character.
 */

export const latin1 = (text: string): string => Buffer.from(text).toString("latin1");
const unique = (texts: readonly string[]): string[] => [...new Set(texts)];
const byteOf = (code: string) => String.fromCharCode(Number.parseInt(code.slice(1), 16));
const alphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";

/** Everything encoded but these characters. */
function percentBut(left: string, value: string): string {
  const all = Buffer.from(value).toString("hex").toUpperCase().replace(/../g, "%$&");
  return all.replace(/%../g, (code) => (left.includes(byteOf(code)) ? byteOf(code) : code));
}

/** In addresses and forms. */
export function inUrls(value: string): string[] {
  const form = new URLSearchParams([["", value]]).toString().slice(1).replaceAll("+", "%20");
  const others = ["-.~", "-.~/", "-.", undefined].map((left) =>
    percentBut(left === undefined ? "" : alphanumeric + left, value),
  );
  const upper = [encodeURIComponent(value), encodeURI(value), form, ...others];
  const both = upper.flatMap((text) => [text, text.replace(/%../g, (code) => code.toLowerCase())]);
  return unique(both.flatMap((text) => [text, text.replaceAll("%20", "+")]));
}

/** One character in JSON, with what else a writer may escape. */
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

/** In JSON, without the quotes. */
export function inJson(value: string): string[] {
  // Half of a character outside of the basic plane is no text: JSON.stringify would write its number.
  const split = (ascii: boolean | undefined) => (ascii ? value.split("") : [...value]);
  const upper = (text: string) => (/^\\u/.test(text) ? `\\u${text.slice(2).toUpperCase()}` : text);
  const forms = writers.flatMap((writer) => {
    const units = split(writer.ascii).map((unit) => jsonCharacter(unit, writer));
    return [units.join(""), units.map(upper).join("")];
  });
  return unique(forms.map(latin1));
}

/** In the trace of a shell: after bash and after dash. */
export const inTraces = (value: string): string[] =>
  value.includes("'")
    ? [value.split("'").join("'\\''"), value.replace(/'+/g, `'"$&"'`).replace(/(")'$/, "$1")].map(latin1)
    : [];
