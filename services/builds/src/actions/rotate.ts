import { rotate } from "@ci/kit/security/rotate";
import { sealedFields } from "../store/encrypted-fields.js";

void rotate("builds", sealedFields);
