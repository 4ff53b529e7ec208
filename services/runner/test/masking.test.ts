import { checkOutputs } from "./_masking.js";

test("hides secrets in every spelling and cut of 50,000 outputs, and shows everything else", () => checkOutputs(100));
