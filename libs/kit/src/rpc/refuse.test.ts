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

test("all complaints are thrown together, without fields that have none", () => {
  expect(thrownBy(() => refuse({ name: ["a", "b"], key: [], value: ["c"] }))).toMatchObject({
    code: "invalid",
    fields: { name: ["a", "b"], value: ["c"] },
  });
});

test("nothing is thrown without a complaint", () => {
  expect(thrownBy(() => refuse({ name: [] }))).toBeUndefined();
  expect(thrownBy(() => runAs(anonymous(), () => refuse({})))).toBeUndefined();
});

test("a request that is already refused is invalid, with or without complaints", () => {
  const refused = { ...anonymous(), refused: true };
  expect(thrownBy(() => runAs(refused, () => refuse({ name: [] })))).toMatchObject({ code: "invalid", fields: {} });
  expect(thrownBy(() => runAs(refused, () => refuse({ name: ["a"] })))).toMatchObject({ fields: { name: ["a"] } });
});
