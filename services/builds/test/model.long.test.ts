import { walk } from "./_model-walk.js";

test("ten thousand random steps leave the service where the model is", walk(10_000), 1_800_000);
