declare const options: { readonly timeout: number; readonly slow: number; readonly jobs: number };
// oxlint-disable-next-line import/no-default-export
export default options;
