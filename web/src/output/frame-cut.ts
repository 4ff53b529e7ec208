/** What one frame takes at most, so that the page stays responsive while much arrives. */
const textPerFrame = 32 * 1024;
export const linesPerFrame = 500;
export const sequencesPerFrame = 2_000;

/** Returns the position of the nth occurrence of a character; the length of the text if it has fewer. */
function nth(text: string, character: string, count: number): number {
  let at = -1;
  for (let found = 0; found < count; found++) {
    at = text.indexOf(character, at + 1);
    if (at < 0) return text.length;
  }
  return at;
}

/** Where to cut text that is too much for one frame: after a line, never in a character. */
export function cutIn(text: string): number {
  const part = text.slice(0, textPerFrame);
  const end = Math.min(nth(part, "\n", linesPerFrame) + 1, nth(part, "\x1b", sequencesPerFrame + 1), part.length);
  if (end === text.length) return end;
  const line = part.lastIndexOf("\n", end - 1) + 1;
  return line || (/[\ud800-\udbff]/.test(part[end - 1]!) ? end - 1 : end);
}
