/** Returns the numbers of a text's lines: each wrong line by itself, the lines between two of them as one text. */
export function gutterOf(lines: number, wrong: ReadonlySet<number>): (string | number)[] {
  const parts: (string | number)[] = [];
  let right: number[] = [];
  const add = () => {
    if (right.length > 0) parts.push(right.join("\n"));
    right = [];
  };
  for (let line = 1; line <= lines; line++)
    if (wrong.has(line)) {
      add();
      parts.push(line);
    } else right.push(line);
  add();
  return parts;
}
