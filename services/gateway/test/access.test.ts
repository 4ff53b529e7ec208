import type { Row } from "../src/http/row.js";
import { routes } from "../src/routes.js";
import { testAudit } from "./_access-audit.js";
import { routeName, table } from "./_access-rows.js";
import { testTable } from "./_access-suite.js";

test("the table has rows for every route, and no others", () => {
  expect([...new Set(table.map(routeName))].sort()).toEqual(routes.map(routeName).sort());
});

test("a route whose fields may be wrong checks first that its record exists", () => {
  const readsFields = ({ path, action: { query, body } }: Row) => path.includes(":") && (query ?? body) !== undefined;
  expect(routes.filter((row) => readsFields(row) && !row.action.target).map(routeName)).toEqual([]);
});

// access.long.test.ts has all kinds of trees.
testAudit(testTable([["private", "child"]]));
