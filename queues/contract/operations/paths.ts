/** Base path of the reasoning API and its helpers. */
export const PUBLIC = '/api/externalAPIs/public';
export const SVC = `${PUBLIC}/svcReasoning`;
/** Base path of the search index. */
export const SEARCH = '/search-index';
