import type { Migration } from "@ci/kit/mongo/migrate";
import { backfillTerms, sameTerms } from "@ci/kit/mongo/search";
import type { BuildDoc } from "../domain/build.js";
import { termsOfTags, textOfTags } from "./selection.js";

export const migrations: readonly Migration[] = [
  {
    name: "builds-tag-terms",
    collection: "builds",
    fills: {
      reads: ["tags", "tagTerms"],
      missing({ tags, tagTerms }) {
        const terms = termsOfTags(tags as BuildDoc["tags"]) ?? [];
        return sameTerms(tagTerms ?? [], terms) ? undefined : { tagTerms: terms };
      },
    },
    retires: ["outbox", "objects.objectId_1_createdAt_-1__id_-1", "cronId_1_createdAt_-1__id_-1"],
  },
  {
    name: "builds-tag-text",
    collection: "builds",
    fills: {
      reads: ["tags", "tagText"],
      missing({ tags, tagText }) {
        const text = textOfTags(tags as BuildDoc["tags"]) ?? "";
        return (tagText ?? "") === text ? undefined : { tagText: text };
      },
    },
    retires: [
      ...["ownerId_1", "rootId_1", "namespaceId_1", "cronId_1_namespaceId_1", "group.id_1_namespaceId_1"],
      ...["ownerId_1_status_1", "rootId_1_status_1", "namespaceId_1_status_1"],
    ].map((fields) => `${fields}_createdAt_-1__id_-1`),
  },
  { name: "builds-unsettled", collection: "builds", retires: ["unsettled_1_createdAt_1"] },
  {
    name: "builds-queue-without-approval",
    collection: "builds",
    retires: [
      "status_1_driver.type_1_userId_1_createdAt_1__id_1",
      "status_1_driver.type_1_userId_1_rootId_1_createdAt_1__id_1",
    ],
  },
  {
    name: "builds-queue-with-groups",
    collection: "builds",
    retires: ["status_1_driver.type_1_userId_1_rootId_1_awaitsApproval_1_createdAt_1__id_1"],
  },
  {
    name: "builds-groups-by-age",
    collection: "builds",
    retires: ["concurrency.key_1_concurrency.cancel_1_status_1__id_-1", "concurrency.key_1_status_1__id_1"],
  },
  { name: "crons-terms", collection: "crons", fills: backfillTerms("name"), retires: ["outbox"] },
  { name: "hook-deliveries-in-shares", collection: "hookDeliveries", retires: ["dueAt_1"] },
  { name: "hook-removals-in-shares", collection: "hookRemovals", retires: ["dueAt_1"] },
];
