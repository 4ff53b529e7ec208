import stringWidth from "string-width";

const characters = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Returns how many columns of a terminal a text takes. */
export const widthOf = (text: string): number => stringWidth(text);

/** Shortens a text to some columns, between two characters. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = "";
  let room = width - widthOf("…");
  for (const { segment } of characters.segment(text)) {
    room -= widthOf(segment);
    if (room < 0) break;
    kept += segment;
  }
  return `${kept}…`;
}
