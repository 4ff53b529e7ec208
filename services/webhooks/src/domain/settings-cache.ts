/**
 * How long a webhook's settings may be cached. A change or removal waits this long before it is confirmed, so that no
 * attempt begins with the old settings afterwards.
 */
export const settingsCacheMs = 50;
