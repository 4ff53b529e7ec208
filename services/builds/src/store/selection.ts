import { reachableFilters } from "@ci/kit/mongo/listing";
import { containing, exactTerm, literal, searchTerms, termsOf } from "@ci/kit/mongo/search";
import type { Build_Status } from "@ci/proto/builds/v1/builds";
import type { Filter } from "mongodb";
import type { BuildDoc } from "../domain/build.js";

/** Selects the builds that used an object, that a cron job submitted, or of one matrix. */
export type Usage = { readonly objectId: number } | { readonly cronId: number } | { readonly groupId: number };

export interface Selection {
  /** The builds of one namespace, those in a user's own list, or those of a usage that a user may view. */
  readonly scope:
    | { readonly namespaceId: number }
    | { readonly ownerId: number; readonly rootIds: readonly number[] }
    | (Usage & { readonly userId: number; readonly namespaceIds: readonly number[] });
  readonly tag?: string;
  readonly search?: string;
  readonly status?: Build_Status;
}

export const newestFirst = { createdAt: -1, _id: -1 } as const;

/** Unicode has no such character. */
const border = "\uffff";
const withoutBorder = (text: string): string => text.replaceAll(border, "\ufffd");

/** Returns the tags as a text, which index keys can decide a search by; undefined without tags. */
export const textOfTags = (tags: readonly { readonly name: string }[]): string | undefined =>
  tags.length > 0 ? [border, ...tags.flatMap(({ name }) => [withoutBorder(name), border])].join("") : undefined;

/** Returns the search terms of tags, for whole and for partial matches; undefined without tags. */
export function termsOfTags(tags: readonly { readonly name: string }[]): string[] | undefined {
  const names = tags.map(({ name }) => name);
  return names.length > 0 ? [...termsOf(names), ...names.map(exactTerm)] : undefined;
}

export const searchedBy = (tags: readonly { readonly name: string }[]): Pick<BuildDoc, "tagTerms" | "tagText"> => ({
  tagTerms: termsOfTags(tags),
  tagText: textOfTags(tags),
});

export function usageFilter(usage: Usage): Filter<BuildDoc> {
  if ("groupId" in usage) return { "group.id": usage.groupId };
  return "objectId" in usage ? { "objects.objectId": usage.objectId } : { cronId: usage.cronId };
}

const hasTerms = ({ search = "" }: Selection): boolean => search === "" || searchTerms(search).length > 0;

function likeText({ tag = "", search = "" }: Selection): Filter<BuildDoc> {
  const patterns = [
    ...(tag ? [{ $regex: literal(`${border}${withoutBorder(tag)}${border}`) }] : []),
    ...(search ? [containing(withoutBorder(search))] : []),
  ];
  return patterns.length > 0 ? { $and: patterns.map((tagText) => ({ tagText })) as never } : {};
}

function like(selection: Selection): Filter<BuildDoc> {
  const { tag = "", search = "", status } = selection;
  if (!hasTerms(selection)) return { ...(status ? { status } : {}), ...likeText(selection) };
  const terms = [...(tag ? [exactTerm(tag)] : []), ...searchTerms(search)];
  const names = [...(tag ? [tag] : []), ...(search ? [containing(search)] : [])];
  return {
    ...(status ? { status } : {}),
    ...(terms.length > 0 ? { tagTerms: { $all: terms } } : {}),
    ...(names.length > 0 ? { $and: names.map((name) => ({ "tags.name": name })) as never } : {}),
  };
}

/** Returns the filters of a selection. No build matches two of them, and each has an index, newest first. */
export function filtersOf(selection: Selection): Filter<BuildDoc>[] {
  const { scope } = selection;
  const alike = like(selection);
  if ("namespaceId" in scope) return [{ namespaceId: scope.namespaceId, ...alike }];
  if ("ownerId" in scope)
    return reachableFilters<BuildDoc>({ ownerId: scope.ownerId, ...alike }, scope.rootIds, (rootIds) => ({
      rootId: { $in: rootIds },
      ...alike,
    }));
  const uses = { ...usageFilter(scope), ...alike };
  const own = { ...uses, namespaceId: { $exists: false }, userId: scope.userId };
  return reachableFilters<BuildDoc>(own, scope.namespaceIds, (namespaceIds) => ({
    ...uses,
    namespaceId: { $in: namespaceIds },
  }));
}
