import { visibilities } from "@ci/rest/visibilities";
import { testTable } from "./_access-suite.js";

testTable(visibilities.flatMap((visibility) => [[visibility, "root"] as const, [visibility, "child"] as const]));
