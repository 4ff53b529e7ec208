/** The first bytes of a file type, and a mask of the bits that count. */
export type Signature = { readonly type: string; readonly value: Buffer; readonly mask: Buffer };

/** Parses hex; `..` matches any byte. */
const hex = (type: string, pattern: string): Signature => {
  const pairs = pattern.replaceAll(" ", "").match(/../g) ?? [];
  return {
    type,
    value: Buffer.from(pairs.map((pair) => (pair === ".." ? 0 : Number.parseInt(pair, 16)))),
    mask: Buffer.from(pairs.map((pair) => (pair === ".." ? 0 : 0xff))),
  };
};

const text = (type: string, latin: string): Signature => hex(type, Buffer.from(latin, "latin1").toString("hex"));

/** Matches a tag's name, given in upper case, in any case. */
const tag = (name: string): Signature => ({
  type: "text/html",
  value: Buffer.from(`<${name}`),
  mask: Buffer.from([...`<${name}`].map((char) => (/[A-Z]/.test(char) ? 0xdf : 0xff))),
});

const tagNames = "!DOCTYPE HTML,HTML,HEAD,SCRIPT,IFRAME,H1,DIV,FONT,TABLE,A,STYLE,TITLE,B,BODY,BR,P";

/** White space may precede these; a space or `>` must follow. */
export const tags: readonly Signature[] = tagNames.split(",").map(tag);

/** White space may precede these. */
export const markup: readonly Signature[] = [text("text/html", "<!--"), text("text/xml", "<?xml")];

/** Other types, in the order of the MIME Sniffing standard. We also detect fonts, which it omits for unlabelled content. */
export const signatures: readonly Signature[] = [
  text("application/pdf", "%PDF-"),
  text("application/postscript", "%!PS-Adobe-"),
  hex("text/plain; charset=utf-16be", "FE FF .. .."),
  hex("text/plain; charset=utf-16le", "FF FE .. .."),
  hex("text/plain; charset=utf-8", "EF BB BF"),
  hex("image/x-icon", "00 00 01 00"),
  hex("image/x-icon", "00 00 02 00"),
  text("image/bmp", "BM"),
  text("image/gif", "GIF87a"),
  text("image/gif", "GIF89a"),
  hex("image/webp", "52 49 46 46 .. .. .. .. 57 45 42 50 56 50"),
  hex("image/png", "89 50 4E 47 0D 0A 1A 0A"),
  hex("image/jpeg", "FF D8 FF"),
  hex("audio/aiff", "46 4F 52 4D .. .. .. .. 41 49 46 46"),
  text("audio/mpeg", "ID3"),
  text("application/ogg", "OggS\0"),
  text("audio/midi", "MThd\0\0\0\x06"),
  hex("video/avi", "52 49 46 46 .. .. .. .. 41 56 49 20"),
  hex("audio/wave", "52 49 46 46 .. .. .. .. 57 41 56 45"),
  hex("application/vnd.ms-fontobject", `${".. ".repeat(34)} 4C 50`),
  hex("font/ttf", "00 01 00 00"),
  text("font/otf", "OTTO"),
  text("font/collection", "ttcf"),
  text("font/woff", "wOFF"),
  text("font/woff2", "wOF2"),
  hex("application/x-gzip", "1F 8B 08"),
  text("application/zip", "PK\x03\x04"),
  text("application/x-rar-compressed", "Rar!\x1A\x07\0"),
];
