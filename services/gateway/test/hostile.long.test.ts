import { hostileSuite } from "./_hostile-suite.js";

hostileSuite(() => true);
