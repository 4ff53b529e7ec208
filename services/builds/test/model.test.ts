import { walk } from "./_model-walk.js";

test("a hundred random steps leave the service where the model is", walk(100, ["running", "killed"]), 600_000);
