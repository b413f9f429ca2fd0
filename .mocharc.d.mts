declare const options: { readonly timeout: number; readonly slow: number; readonly jobs: number };
export default options;
