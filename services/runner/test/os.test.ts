import { notRun } from "@ci/testkit/not-run";
import { isRoot } from "../src/drivers/user.js";
import { osSubject } from "./_os.js";
import { osUids } from "./_suite.js";
import { driverContract } from "./driver-contract.js";

describe("as the runner's own user", () => driverContract(() => osSubject(undefined)));

if (isRoot()) describe("as users of their own", () => driverContract(() => osSubject(osUids)));
else notRun("os jobs as users of their own", "the tests do not run as root");
