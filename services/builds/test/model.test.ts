import { walk } from "./_model-walk.js";

test("three hundred random steps leave the service where the model is", walk(300, ["running", "killed"]), 600_000);
