/** The build puts the smallest form of the style in place of the import. */
declare module '*.css' {
  export const css: string;
}
