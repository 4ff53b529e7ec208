/** How programs write the same text in other ways: every spelling of a value that our masks know. */

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/** Shorter pieces of base64 occur by chance. */
const shortestPiece = 4;

/** Text in base64 when `shift` bytes of something else stand before it, without the characters that tell of those. */
const shifted = (value: Buffer, shift: 0 | 1 | 2): string =>
  Buffer.concat([Buffer.alloc(shift), value])
    .toString("base64")
    .slice([0, 2, 3][shift]);

/**
 * What a value looks like inside of longer base64 text. The character that it shares with what follows may be one of
 * a few: each gives a form.
 */
function piecesOfBase64(value: Buffer, shift: 0 | 1 | 2): string[] {
  const own = shifted(value, shift).replaceAll("=", "");
  const bitsOver = ((shift + value.length) * 8) % 6;
  if (bitsOver === 0) return [own];
  const whole = own.slice(0, -1);
  const known = alphabet.indexOf(own.at(-1)!);
  const open = 1 << (6 - bitsOver);
  return [whole, ...Array.from({ length: open }, (_, more) => whole + alphabet[known + more])];
}

/** The forms of a value in the standard alphabet of base64: alone, in longer text at each alignment, and at its end. */
export function base64Forms(value: string): string[] {
  const bytes = Buffer.from(value);
  const forms = ([0, 1, 2] as const).flatMap((shift) => [...piecesOfBase64(bytes, shift), shifted(bytes, shift)]);
  return forms.filter((form) => form.length >= shortestPiece);
}

const inHex = (code: number, digits: number) => code.toString(16).padStart(digits, "0");
type Case = (hex: string) => string;
const cases: readonly Case[] = [(hex) => hex, (hex) => hex.toUpperCase()];

/** What encoders of URLs leave as it is: RFC 3986, browsers, Python, whole addresses, forms, PHP; and nothing at all. */
const leftInUrls = [
  /[\w.~-]/,
  /[\w.~!*'()-]/,
  /[\w.~/-]/,
  /[\w.~!*'();,/?:@&=+$#-]/,
  /[\w.*-]/,
  /[\w.-]/,
  /[^\s\S]/,
] as const;

/** For each encoder what becomes of each byte. */
const urlEncoders = leftInUrls.flatMap((left) =>
  cases.flatMap((hex) => {
    const encoded = Array.from({ length: 256 }, (_, byte) => {
      const character = String.fromCharCode(byte);
      return left.test(character) ? character : `%${hex(inHex(byte, 2))}`;
    });
    return [encoded, encoded.with(0x20, "+")];
  }),
);

/** The percent-encoded forms of a value, also with `+` for a space. */
export function percentForms(value: string): string[] {
  const bytes = [...Buffer.from(value)];
  return urlEncoders.map((encoded) => bytes.map((byte) => encoded[byte]).join(""));
}

const short: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};
const withSlash = { ...short, "/": "\\/" };
const numberedQuote = { ...short, '"': "\\u0022" };

interface JsonWriter {
  readonly short: Readonly<Record<string, string>>;
  /** What it writes as a number, besides control characters. */
  readonly numbered: RegExp;
}

/** What writers of JSON escape: as little as they may, all but ASCII, slashes, and what means something in HTML. */
const jsonWriters: readonly JsonWriter[] = [
  { short, numbered: /[^\s\S]/ },
  { short, numbered: /[\x7f-\uffff]/ },
  { short: withSlash, numbered: /[^\s\S]/ },
  { short: withSlash, numbered: /[\x7f-\uffff]/ },
  { short, numbered: /[<>&\u2028\u2029]/ },
  { short, numbered: /[<>&='\u2028\u2029]/ },
  { short, numbered: /[<>&\x7f-\uffff]/ },
  { short: numberedQuote, numbered: /[<>&'+`\x7f-\uffff]/ },
];

/** The JSON-escaped forms of a value, without the quotes around them. */
export function jsonForms(value: string): string[] {
  const units = value.split("");
  const escaped = ({ short, numbered }: JsonWriter, hex: Case) =>
    units.map((unit) => {
      const byNumber = unit < " " || numbered.test(unit);
      return short[unit] ?? (byNumber ? `\\u${hex(inHex(unit.charCodeAt(0), 4))}` : unit);
    });
  return jsonWriters.flatMap((writer) => cases.map((hex) => escaped(writer, hex).join("")));
}

/** How shells quote a value when they trace commands, as every job does; without the quotes around it. */
export function shellForms(value: string): string[] {
  if (!value.includes("'")) return [];
  const inDoubleQuotes = value.replace(/'+/g, (quotes) => `'"${quotes}"'`);
  return [value.replaceAll("'", "'\\''"), inDoubleQuotes.replace(/'$/, "")];
}
