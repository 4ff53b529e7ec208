const quoteIt = "quote it";

interface Reason {
  readonly said: RegExp;
  /** In words for readers who do not know those of YAML. If absent, the library's words stay. */
  readonly reason?: string;
  readonly advice: string;
}

const reasons: readonly Reason[] = [
  { said: /^Tabs are not allowed/, advice: "indent with spaces" },
  {
    said: /^Nested mappings are not allowed in compact mappings/,
    reason: 'Unexpected ": " in a value, or a line below it is indented too far',
    advice: "quote the value, or indent the line less",
  },
  {
    said: /^Unexpected .+ at node end/s,
    reason: "Unexpected text after the end of a value",
    advice: "quote all of the value",
  },
  {
    said: /^Implicit (map )?keys need to be .+/s,
    reason: 'Expected a key with ": " after it',
    advice: "indent lines that continue a value further",
  },
  {
    said: /^Flow \w+ in block collection must be sufficiently indented and end with a (.).*/s,
    reason: "Missing $1",
    advice: "close the brackets, and indent all lines between them",
  },
  { said: /^Plain value cannot start with/, advice: quoteIt },
  {
    said: /^(Invalid escape sequence \\.).*/s,
    reason: "$1",
    advice: "use single quotes, or write \\\\ for a backslash",
  },
  { said: /^Alias cannot be an empty string/, reason: "A text cannot begin with *", advice: quoteIt },
  { said: /^All sequence items/, reason: "All entries of a list", advice: "indent them alike" },
  { said: /^All mapping items/, reason: "All keys of a mapping", advice: "indent them alike" },
  { said: /^A block sequence may not be .+/s, reason: 'Unexpected "- "', advice: "indent all entries of a list alike" },
  {
    said: /^Sequence item without - indicator/,
    reason: 'Expected an entry of the list, with "- " in front',
    advice: "indent lines that belong to the entry above further",
  },
];

/** Returns what is wrong, and what to do about it, if a word of advice is known. */
export function reasonOf(message: string): { readonly reason: string; readonly advice?: string } {
  const known = reasons.find(({ said }) => said.test(message));
  return { reason: known?.reason ? message.replace(known.said, known.reason) : message, advice: known?.advice };
}
