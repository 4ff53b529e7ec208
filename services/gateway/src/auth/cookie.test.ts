import { cookieOf, sessionCookie, sessionCookieName } from "./cookie.js";

const requestWith = (cookie: string) => ({ method: "GET", headers: { cookie } }) as never;

test("behind https the cookie never travels without encryption, and no other domain can set it", () => {
  expect(sessionCookie({ publicUrl: "https://ci.example" }, "abc", 90_500)).toBe(
    "__Host-ci_session=abc; Path=/; Max-Age=90; HttpOnly; SameSite=Strict; Secure",
  );
});

test("behind https a cookie that another domain may have set does not count", () => {
  const place = { publicUrl: "https://ci.example" };
  expect(cookieOf(place, requestWith("ci_session=planted"))).toBeUndefined();
  expect(cookieOf(place, requestWith("ci_session=planted; __Host-ci_session=own"))).toBe("own");
  expect(cookieOf(place, requestWith("\u00a0__Host-ci_session=planted"))).toBeUndefined();
  expect(cookieOf({ publicUrl: "http://ci.example" }, requestWith("ci_session=own"))).toBe("own");
});

test("a long run of blanks in a cookie is read in linear time", () => {
  const blanks = " \t".repeat(200_000);
  const place = { publicUrl: "http://ci.example" };
  const before = process.cpuUsage();
  expect(cookieOf(place, requestWith(`other=a${blanks}b; ${blanks}ci_session=own${blanks};${blanks}`))).toBe("own");
  // Quadratic work took minutes.
  expect(process.cpuUsage(before).user).toBeLessThan(5_000_000);
});

test("behind https the paths of a host have cookies of their own", () => {
  expect(["a/b", "a"].map((path) => sessionCookieName({ publicUrl: `https://ci.example/${path}` }))).toEqual([
    "__Host-ci_session_L2EvYg",
    "__Host-ci_session_L2E",
  ]);
});

test("without https the cookie is sent only below the path of the public URL", () => {
  expect(sessionCookie({ publicUrl: "http://ci.example/a/b" })).toBe(
    "ci_session=; Path=/a/b; Max-Age=0; HttpOnly; SameSite=Strict",
  );
});
