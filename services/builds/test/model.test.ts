import { walk } from "./_model-walk.js";

test("forty random steps leave the service where the model is", walk(40, ["running", "killed"]));
