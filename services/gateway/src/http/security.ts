import type { ServerResponse } from "node:http";

/** What browsers must not do with a response: guess its type, load anything for it, frame it, tell where it was, or share it. */
export const securityHeaders = {
  "X-Content-Type-Options": "nosniff",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cache-Control": "private, no-cache",
} as const;

/** Content that users have made must not run in the name of this site, even if a browser shows it. */
export const contentPolicy = `${securityHeaders["Content-Security-Policy"]}; sandbox`;

export const unstored = { "Cache-Control": "no-store" } as const;

export function secure(response: ServerResponse): void {
  for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value);
}
