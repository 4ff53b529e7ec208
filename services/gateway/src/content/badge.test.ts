import { badge } from "./badge.js";

test.each([
  [undefined, "unknown", "unknown", "#6a7393", 115],
  ["queued", "queued", "queued", "#272b39", 105],
  ["running", "running", "running", "#61a0ea", 105],
  ["passed", "passed", "passed", "#269326", 105],
  ["passed_with_failures", "passed", "passed with failures", "#ff7400", 105],
  ["failed", "failed", "failed", "#c64242", 105],
  ["killed", "killed", "killed", "#c64242", 105],
  ["timed_out", "timed out", "timed out", "#6a7393", 115],
] as const)("draws %s", (status, text, words, colour, width) => {
  const svg = badge("Service CI", status);
  expect(svg).toContain(`width="${width}" height="20"`);
  expect(svg).toContain(`<title>Service CI: ${words}</title>`);
  expect(svg).toContain('height="20" fill="#383e51"');
  expect(svg).toContain(`height="20" fill="${colour}"`);
  expect(svg).toContain(`>${text}</text>`);
  expect(svg).toContain('fill="#fff" font-family="sans-serif" font-size="11"');
});

test("the badge escapes its label", () => {
  expect(badge('</title><script>"&')).toContain("<title>&lt;/title&gt;&lt;script&gt;&quot;&amp;: unknown</title>");
});
