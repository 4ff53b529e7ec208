/** Returns the text of pieces from a byte offset on, with the time of its piece before each line that begins there. */
export function stamped(pieces: readonly { text: string; at: Date }[], from = 0): string {
  let all = "";
  let offset = 0;
  let isLineStart = true;
  for (const { text, at } of pieces)
    for (const character of text) {
      if (offset >= from) all += (isLineStart ? `${at.toISOString()} ` : "") + character;
      isLineStart = character === "\n";
      offset += Buffer.byteLength(character);
    }
  return all;
}

/** A manifest whose two jobs run side by side. */
export const beside = `
driver: {type: os}
parallel: [test]
jobs:
- {stage: test, name: a, commands: [a]}
- {stage: test, name: b, commands: [b]}
`;
