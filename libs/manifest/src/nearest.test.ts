import { nearest } from "./nearest.js";

test("two letters in the wrong order count as one mistake, also if small letters are more characters", () => {
  expect(nearest("İba", ["İab"])).toBe("İab");
  expect(nearest("İba", ["i\u0307ab"])).toBe("i\u0307ab");
});
