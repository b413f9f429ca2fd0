/** The tenant for which a sample is made. */
export interface Tenant {
  readonly hostId: string;
  readonly slug: string;
  readonly token: string;
}
