/** How long webhook settings may be cached. A change or removal waits this long before it is confirmed. */
export const settingsCacheMs = 50;
