import { visibilities } from "@ci/rest/visibilities";
import { testTable } from "./_access-suite.js";

const trees = visibilities.flatMap((visibility) => [[visibility, "root"] as const, [visibility, "child"] as const]);
// access.test.ts has the private child.
testTable(trees.filter(([visibility, where]) => visibility !== "private" || where !== "child"));
