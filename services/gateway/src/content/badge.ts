import type { Build_Status } from "@ci/proto/builds/v1/builds";

interface Style {
  readonly text: string;
  readonly colour: string;
  readonly width: number;
  /** The status in words, for the title. */
  readonly words: string;
}

const unknown: Style = { text: "unknown", colour: "#6a7393", width: 115, words: "unknown" };

const styles: Record<Build_Status, Style> = {
  queued: { text: "queued", colour: "#272b39", width: 105, words: "queued" },
  running: { text: "running", colour: "#61a0ea", width: 105, words: "running" },
  passed: { text: "passed", colour: "#269326", width: 105, words: "passed" },
  passed_with_failures: { text: "passed", colour: "#ff7400", width: 105, words: "passed with failures" },
  failed: { text: "failed", colour: "#c64242", width: 105, words: "failed" },
  killed: { text: "killed", colour: "#c64242", width: 105, words: "killed" },
  timed_out: { text: "timed out", colour: "#6a7393", width: 115, words: "timed out" },
};

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => entities[character]!);

/** Width of the left half, which holds the label. */
const labelWidth = 60;

/** Draws the SVG badge of a status; undefined means unknown or hidden. */
export function badge(label: string, status?: Build_Status): string {
  const { text, colour, width, words } = status ? styles[status] : unknown;
  const middle = labelWidth + (width - labelWidth) / 2;
  const escapedLabel = escaped(label);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20" role="img">`,
    `<title>${escapedLabel}: ${words}</title>`,
    `<rect width="${labelWidth}" height="20" fill="#383e51"/>`,
    `<rect x="${labelWidth}" width="${width - labelWidth}" height="20" fill="${colour}"/>`,
    '<g fill="#fff" font-family="sans-serif" font-size="11" text-anchor="middle">',
    `<text x="${labelWidth / 2}" y="14">${escapedLabel}</text>`,
    `<text x="${middle}" y="14">${text}</text>`,
    "</g></svg>",
  ].join("");
}
