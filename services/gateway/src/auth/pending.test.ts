import { nextPage, pendingSignIns } from "./pending.js";

const openid = { issuer: new URL("https://login.example"), clientId: "ci", clientSecret: "s" } as never;
const place = { publicUrl: "https://ci.example/api" };
const pending = { state: "s", nonce: "n", verifier: "v", next: "/api/builds", sessionId: 7 };
const requestWith = (header: string) => ({ headers: { cookie: `a=b; ${header.split(";")[0]}` } }) as never;

describe("a pending sign-in", () => {
  test("is readable by every replica with the same settings, and by nobody else", () => {
    const cookie = pendingSignIns(place, openid).keep(pending);
    expect(cookie).toMatch(
      /^__Host-ci_sign_in_L2FwaQ=1:[\w+/=]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
    );
    expect(pendingSignIns(place, openid).of(requestWith(cookie))).toEqual(pending);
    const other = pendingSignIns(place, { ...(openid as object), clientSecret: "t" } as never);
    expect(other.of(requestWith(cookie))).toBeUndefined();
  });

  test("is refused once a character of it has changed", () => {
    const signIns = pendingSignIns(place, openid);
    const value = signIns.keep(pending).split(";")[0]!;
    const changed = value.slice(0, 40) + (value[40] === "A" ? "B" : "A") + value.slice(41);
    expect(signIns.of(requestWith(changed))).toBeUndefined();
    expect(signIns.of(requestWith("__Host-ci_sign_in_L2FwaQ="))).toBeUndefined();
    expect(signIns.of({ headers: {} } as never)).toBeUndefined();
  });

  test("is refused if another domain may have set its cookie", () => {
    const signIns = pendingSignIns(place, openid);
    const planted = signIns.keep(pending).replace(/^[^=]+/, "ci_sign_in");
    expect(signIns.of(requestWith(planted))).toBeUndefined();
  });

  test("without https has a cookie that is sent only when the sign-in ends", () => {
    const cookie = pendingSignIns({ publicUrl: "http://ci.example/api" }, openid).keep(pending);
    expect(cookie).toMatch(
      /^ci_sign_in=1:[\w+/=]+; Path=\/api\/-\/sign-in\/oidc; Max-Age=600; HttpOnly; SameSite=Lax$/,
    );
  });

  test("expires after ten minutes", () => {
    let now = 0;
    const signIns = pendingSignIns(place, openid, () => now);
    const cookie = signIns.keep(pending);
    now = 10 * 60_000 - 1;
    expect(signIns.of(requestWith(cookie))).toEqual(pending);
    now++;
    expect(signIns.of(requestWith(cookie))).toBeUndefined();
  });
});

describe("the page after a sign-in", () => {
  test.each(["/api/b/ann/7#unit:L12", "/api/builds?status=failed", "/api/"])("is %s if that is ours", (next) => {
    expect(nextPage(place, next)).toBe(next);
  });

  test.each([
    ...["https://evil.example/api/", "//evil.example/api/", "/\\evil.example/api/", "/\t/evil.example/api/", "\\/evil"],
    ...["/elsewhere", "/apis", "/api/../other", "javascript:alert(1)", "", `/api/${"x".repeat(2_000)}`, "/api\\..\\x"],
  ])("is the list of builds instead of %j", (next) => {
    expect(nextPage(place, next)).toBe("/api/builds");
  });

  test("is on this site also if the public URL has no path", () => {
    const root = { publicUrl: "https://ci.example" };
    expect(nextPage(root, "/b/ann/7")).toBe("/b/ann/7");
    for (const next of ["//evil.example", "/\\evil.example", "/.//evil.example", "/x/..//evil.example"])
      expect(nextPage(root, next)).toBe("/builds");
  });
});
