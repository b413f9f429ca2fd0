export const PUBLIC = '/api/externalAPIs/public';
export const SVC = `${PUBLIC}/svcReasoning`;
export const SEARCH = '/search-index';
