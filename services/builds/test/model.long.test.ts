import { allOutcomes, walk } from "./_model-walk.js";

test("ten thousand random steps leave the service where the model is", walk(10_000, allOutcomes), 1_800_000);
