import { walk } from "./_model-walk.js";

test("two thousand random steps leave the service where the model is", walk(2_000), 600_000);
