import { sessionExpiry } from "./session.js";

const now = new Date("2030-01-01T00:00:00Z");
const hourMs = 3_600_000;

test.each([
  ["its lifetime", undefined, 1],
  ["its lifetime, if the token lives longer", 2, 1],
  ["the time that its token has left", 0.5, 0.5],
])("a session ends after %s", (_, tokenHours, hours) => {
  const tokenExpiresAt = tokenHours === undefined ? undefined : new Date(now.getTime() + tokenHours * hourMs);
  expect(sessionExpiry(now, hourMs, tokenExpiresAt)).toEqual(new Date(now.getTime() + hours * hourMs));
});
