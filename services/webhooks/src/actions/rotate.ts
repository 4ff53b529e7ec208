import { rotate } from "@ci/kit/security/rotate";
import { encryptedFields } from "../store/encrypted-secrets.js";

void rotate("webhooks", encryptedFields);
