import { anonymous, runAs } from "./caller.js";
import { refuse } from "./refuse.js";

const thrownBy = (work: () => void): unknown => {
  try {
    work();
    return undefined;
  } catch (error) {
    return error;
  }
};

test("complaints are thrown together, fields without any are left out", () => {
  expect(thrownBy(() => refuse({ name: ["a", "b"], key: [], value: ["c"] }))).toMatchObject({
    code: "invalid",
    fields: { name: ["a", "b"], value: ["c"] },
  });
});

test("without a complaint nothing is thrown", () => {
  expect(thrownBy(() => refuse({ name: [] }))).toBeUndefined();
  expect(thrownBy(() => runAs(anonymous(), () => refuse({})))).toBeUndefined();
});

test("what is refused already goes no further, with or without complaints", () => {
  const refused = { ...anonymous(), refused: true };
  expect(thrownBy(() => runAs(refused, () => refuse({ name: [] })))).toMatchObject({ code: "invalid", fields: {} });
  expect(thrownBy(() => runAs(refused, () => refuse({ name: ["a"] })))).toMatchObject({ fields: { name: ["a"] } });
});
