import stringWidth from "string-width";

const characters = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Returns how many columns of a terminal a text takes. Counts no further once these are more than `enough`. */
export function widthOf(text: string, enough = Number.POSITIVE_INFINITY): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of characters.segment(text)) {
    width += stringWidth(segment);
    if (width > enough) break;
  }
  return width;
}

/** Shortens a text to some columns, between two characters. */
export function cut(text: string, width: number): string {
  if (widthOf(text, width) <= width) return text;
  let kept = "";
  let room = width - widthOf("…");
  for (const { segment } of characters.segment(text)) {
    room -= widthOf(segment);
    if (room < 0) break;
    kept += segment;
  }
  return `${kept}…`;
}
