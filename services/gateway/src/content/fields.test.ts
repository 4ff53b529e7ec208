import { turnsDuring } from "@ci/testkit/turns-during";
import { fieldsOfForm } from "./fields.js";

test("a form is decoded as browsers encode it", async () => {
  const form = "name=a+b%2Bc%20d&list=%C3%A9+&list=+&empty&=none&&utf=é&malformed=é%4x%+%ff%2";
  expect({ ...(await fieldsOfForm(Buffer.from(form))) }).toEqual({
    name: "a b+c d",
    list: ["é ", " "],
    empty: "",
    utf: "é",
    malformed: "é%4x% \ufffd%2",
    "": "none",
  });
});

test("a form with more than 100 fields is refused", async () => {
  expect(Object.keys(await fieldsOfForm(Buffer.from(`a${"&a".repeat(99)}`)))).toEqual(["a"]);
  await expect(fieldsOfForm(Buffer.from(`a${"&a".repeat(100)}`))).rejects.toMatchObject({ status: 400 });
});

test("other work has its turn while a form of many spaces is decoded", async () => {
  const decoded = fieldsOfForm(Buffer.from(`text=${"+".repeat(2 * 1024 ** 2)}`));
  expect(await turnsDuring(decoded)).toBeGreaterThan(30);
  expect(await decoded).toEqual({ text: " ".repeat(2 * 1024 ** 2) });
});
