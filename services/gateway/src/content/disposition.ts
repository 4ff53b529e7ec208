import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { create } from "content-disposition";

/** Longer than most file systems allow, and short enough for every client's limit on headers. */
const maxNameLength = fixedLimit({
  max: 200,
  about: "characters of the file name of a download",
  effect: "the beginning is cut",
});

/** Turns a record's name into a file name, without folders, control characters and changes of the text's direction. */
function fileName(name: string): string {
  const last = name.split(/[/\\]/).at(-1)!;
  const plain = [...last.replace(/[\p{Cc}\p{Cs}\p{Bidi_Control}]/gu, "_")].slice(-maxNameLength).join("");
  return /^\.{0,2}$/.test(plain) ? "download" : plain;
}

/** Returns the Content-Disposition of a download by RFC 6266. A name beyond plain ASCII goes into `filename*`. */
export function disposition(name: string, type: "attachment" | "inline" = "attachment"): string {
  const file = fileName(name);
  return create(file, { type, fallback: file.replace(/[^\x20-\x7e]|["\\%]/g, "_") });
}
