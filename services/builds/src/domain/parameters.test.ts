import { parameterComplaints, parametersOf } from "./parameters.js";

const requestOf = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, nth) => [`KEY_${nth}`, "x"]));

test("of too many parameters only as many are looked at as it takes to refuse them", () => {
  expect(parametersOf(requestOf(100))).toHaveLength(100);
  const parameters = parametersOf(requestOf(10_000));
  expect(parameters).toHaveLength(101);
  expect(parameterComplaints(parameters)).toEqual(["Variables cannot exceed 100 per build"]);
});
