import { routes } from "../src/routes.js";
import { testAudit } from "./_access-audit.js";
import { routeName, table } from "./_access-rows.js";
import { testTable } from "./_access-suite.js";

test("the table has rows for every route, and no others", () => {
  expect([...new Set(table.map(routeName))].sort()).toEqual(routes.map(routeName).sort());
});

// access.long.test.ts has all kinds of trees.
testAudit(testTable([["private", "child"]]));
