import { parameterComplaints, parametersOf } from "./parameters.js";

const requestOf = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, nth) => [`KEY_${nth}`, "x"]));

test("a request with too many parameters is refused without a look at all of them", () => {
  expect(parametersOf(requestOf(100))).toHaveLength(100);
  const parameters = parametersOf(requestOf(10_000));
  expect(parameters).toHaveLength(101);
  expect(parameterComplaints(parameters)).toEqual(["Variables cannot exceed 100 per build"]);
});
