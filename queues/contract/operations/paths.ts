/** Where the reasoning API and its helpers live. */
export const PUBLIC = '/api/externalAPIs/public';
export const SVC = `${PUBLIC}/svcReasoning`;
/** Where the search index lives. */
export const SEARCH = '/search-index';
