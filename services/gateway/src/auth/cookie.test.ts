import { sessionCookie } from "./cookie.js";

test("behind https the cookie never travels without encryption", () => {
  expect(sessionCookie({ publicUrl: "https://ci.example" }, "abc", 90_500)).toBe(
    "ci_session=abc; Path=/; Max-Age=90; HttpOnly; SameSite=Strict; Secure",
  );
});

test("the cookie is sent only below the path of the public URL", () => {
  expect(sessionCookie({ publicUrl: "http://ci.example/a/b" })).toBe(
    "ci_session=; Path=/a/b; Max-Age=0; HttpOnly; SameSite=Strict",
  );
});
