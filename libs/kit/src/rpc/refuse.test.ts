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

test("refuse throws all complaints together, without fields that have none", () => {
  expect(thrownBy(() => refuse({ name: ["a", "b"], key: [], value: ["c"] }))).toMatchObject({
    code: "invalid",
    fields: { name: ["a", "b"], value: ["c"] },
  });
});

test("refuse throws nothing without a complaint", () => {
  expect(thrownBy(() => refuse({ name: [] }))).toBeUndefined();
  expect(thrownBy(() => runAs(anonymous(), () => refuse({})))).toBeUndefined();
});

test("refuse throws invalid for a request that is already refused, with or without complaints", () => {
  const refused = { ...anonymous(), refused: true };
  expect(thrownBy(() => runAs(refused, () => refuse({ name: [] })))).toMatchObject({ code: "invalid", fields: {} });
  expect(thrownBy(() => runAs(refused, () => refuse({ name: ["a"] })))).toMatchObject({ fields: { name: ["a"] } });
});
