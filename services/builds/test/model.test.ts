import { walk } from "./_model-walk.js";

test("five hundred random steps leave the service where the model is", walk(500), 600_000);
